//! The streams, declared once: the paths, what they take and the frames they send. OpenAPI is made from this, and
//! `docs/streams.md` explains it.
//!
//! The frames are those that the handlers write: their schemas come from the same types.

use agents::shown::devfleet::Frame;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::{events, transcript, ws};

/// One stream.
pub(crate) struct Stream {
    pub(crate) path: &'static str,
    name: &'static str,
    summary: &'static str,
    description: &'static str,
    parameters: &'static [Parameter],
    wire: Wire,
}

/// Something that a client may say when it opens a stream.
struct Parameter {
    name: &'static str,
    place: &'static str,
    description: &'static str,
    example: &'static str,
}

/// How frames travel.
enum Wire {
    /// Server-sent events, each of which has one JSON value as its data.
    Events { frame: fn(&mut SchemaGenerator) -> Schema, example: &'static str },
    /// A WebSocket, each message of which is one JSON object.
    Socket { sent: fn(&mut SchemaGenerator) -> Schema, received: fn(&mut SchemaGenerator) -> Schema },
}

const AFTER: Parameter =
    Parameter { name: "after", place: "query", description: "Continue after this `id` of a frame", example: "" };

const LAST_EVENT_ID: Parameter = Parameter {
    name: "Last-Event-ID",
    place: "header",
    description: "The same as `after`, as browsers send it when they reconnect; it wins",
    example: "",
};

/// Every stream there is.
pub(crate) const STREAMS: [Stream; 3] = [
    Stream {
        path: events::PATH,
        name: "event_stream",
        summary: "Follow every change of your team",
        description: "Each frame is named `change` and holds what one commit changed, in order and without gaps. Its `id` \
            is the position to continue after. Without a position the stream begins at the present end. A comment or a \
            bare `id` every 15 seconds shows that the connection lives. A position that was removed is refused.",
        parameters: &[Parameter { example: "1024", ..AFTER }, Parameter { example: "1024", ..LAST_EVENT_ID }],
        wire: Wire::Events {
            frame: named::<events::Shown<'static>>,
            example: "id: 1025\nevent: change\ndata: {\"position\":1025,\"at\":\"2026-01-02T03:04:05.678Z\",\
                \"by\":\"owner\",\"team\":\"default\",\"events\":[{\"type\":\"mission_moved\",\"mission\":\"m-x7k2m\",\
                \"from\":\"draft\",\"to\":\"ready\"}]}\n\n",
        },
    },
    Stream {
        path: transcript::PATH,
        name: "session_stream",
        summary: "Follow what a session's agent says and does",
        description: "A new client gets everything from the beginning, then what follows. Frames are unnamed; `type` says \
            what each is, and `done` is the last. An `id` is the place to continue after.",
        parameters: &[
            Parameter { name: "session", place: "path", description: "The session", example: "s-x7k2m" },
            Parameter { example: "1-2048", ..AFTER },
            Parameter { example: "1-2048", ..LAST_EVENT_ID },
            Parameter {
                name: "follow",
                place: "query",
                description: "`false` ends the stream with what is there now; its last frame is `so_far` then",
                example: "true",
            },
        ],
        wire: Wire::Events {
            frame: named::<Frame>,
            example: "id: 1-96\ndata: {\"type\":\"text\",\"text\":\"\\nI read the tests first.\\n\"}\n\n",
        },
    },
    Stream {
        path: ws::PATH,
        name: "socket",
        summary: "Follow tasks and workers over a WebSocket",
        description: "Each message is one JSON object. A client sends `auth` first, within ten seconds, unless its request \
            has an `Authorization` header. Then it is told of the tasks and workers of its team, and of the chats that \
            it subscribes to. Nothing can be resumed: use `GET /api/events` where no change may be missed.",
        parameters: &[],
        wire: Wire::Socket { sent: named::<ws::Request>, received: named::<ws::Reply> },
    },
];

fn named<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Stream {
    /// Describes it as an operation of OpenAPI.
    pub(crate) fn operation(&self, generator: &mut SchemaGenerator) -> Value {
        let parameter = |parameter: &Parameter| {
            json!({
                "name": parameter.name,
                "in": parameter.place,
                "required": parameter.place == "path",
                "description": parameter.description,
                "schema": { "type": "string" },
                "example": parameter.example,
            })
        };
        let mut described = json!({
            "operationId": self.name,
            "summary": self.summary,
            "description": self.description,
            "tags": ["streams"],
            "parameters": self.parameters.iter().map(parameter).collect::<Vec<_>>(),
            "security": [{ "bearer": [] }],
        });
        match self.wire {
            Wire::Events { frame, example } => {
                let content =
                    json!({ "schema": { "type": "string" }, "itemSchema": frame(generator), "example": example });
                described["responses"] = json!({
                    "200": {
                        "description": "Server-sent events; `itemSchema` is the JSON value in the `data` of each",
                        "content": { "text/event-stream": content },
                    },
                    "4XX": { "$ref": "#/components/responses/ApiRefused" },
                });
            }
            Wire::Socket { sent, received } => {
                described["responses"] = json!({
                    "101": { "description": "The connection is a WebSocket from here on" },
                    "4XX": { "$ref": "#/components/responses/Refused" },
                });
                described["x-messages"] = json!({ "send": sent(generator), "receive": received(generator) });
            }
        }
        described
    }
}
