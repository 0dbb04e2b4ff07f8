//! What a client asks of an HTTP proxy, read so that no server can read it otherwise.
//!
//! Whatever two programs might read in two ways is refused: it is how one request hides another.

use types::NetHost;

use crate::framing::Body;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// A tunnel.
    Connect {
        /// To which host.
        host: NetHost,
        /// To which port.
        port: u16,
    },
    /// One request, as it is sent on.
    Plain {
        /// To which host.
        host: NetHost,
        /// To which port.
        port: u16,
        /// The head as the server gets it.
        head: Vec<u8>,
        /// What follows.
        body: Body,
        /// Whether the client waits to be told to send it.
        waits: bool,
    },
}

/// Why a request cannot be judged; the text is for the client.
pub(crate) type Malformed = &'static str;

/// Headers that concern one connection alone; what else `Connection` names comes to these.
const HOP_BY_HOP: [&str; 12] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

type Headers<'a> = Vec<(String, &'a str)>;

/// Reads a head that ends with its empty line.
pub(crate) fn read(head: &[u8]) -> Result<Request, Malformed> {
    let text = std::str::from_utf8(head).ok().and_then(|text| text.strip_suffix("\r\n\r\n"));
    let text = text.ok_or("the head of the request is not text")?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err("the request line is malformed");
    };
    let is_old = match version {
        "HTTP/1.1" => false,
        "HTTP/1.0" => true,
        _ => return Err("only HTTP/1.1 and HTTP/1.0 are spoken here"),
    };
    if !is_token(method) || !target.bytes().all(|letter| letter.is_ascii_graphic()) {
        return Err("the request line is malformed");
    }
    let headers = lines.map(header).collect::<Result<Headers<'_>, _>>()?;
    if method == "CONNECT" {
        let (host, port) = authority(target, None)?;
        agrees(&headers, &host, port, None, true)?;
        return Ok(Request::Connect { host, port });
    }
    let (host, port, path) = absolute(target)?;
    agrees(&headers, &host, port, Some(80), is_old)?;
    let body = body(&headers, is_old)?;
    let waits = one(&headers, "expect")?.is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
    let shown = if port == 80 { host.to_string() } else { format!("{host}:{port}") };
    let mut sent = format!("{method} {path} {version}\r\nHost: {shown}\r\n");
    let named: Vec<String> = all(&headers, "connection")
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    for (name, value) in &headers {
        if !HOP_BY_HOP.contains(&name.as_str()) && !named.contains(name) {
            sent.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    match body {
        Body::None => {}
        Body::Length(length) => sent.push_str(&format!("content-length: {length}\r\n")),
        Body::Chunked => sent.push_str("transfer-encoding: chunked\r\n"),
    }
    sent.push_str("connection: close\r\n\r\n");
    Ok(Request::Plain { host, port, head: sent.into_bytes(), body, waits })
}

/// Reads one line of the head.
fn header(line: &str) -> Result<(String, &str), Malformed> {
    let (name, value) = line.split_once(':').ok_or("a header has no colon")?;
    let value = value.trim_matches([' ', '\t']);
    // A blank before the colon or at the start of a line, and a line break of half a kind, are read in two ways.
    if !is_token(name) || value.chars().any(|letter| letter.is_control() && letter != '\t') {
        return Err("a header is malformed");
    }
    Ok((name.to_ascii_lowercase(), value))
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&letter))
}

fn all<'a>(headers: &'a Headers<'_>, name: &'a str) -> impl Iterator<Item = &'a str> {
    headers.iter().filter(move |(own, _)| own == name).map(|(_, value)| *value)
}

/// Returns the value of a header that may be there once.
fn one<'a>(headers: &'a Headers<'_>, name: &'a str) -> Result<Option<&'a str>, Malformed> {
    let mut values = all(headers, name);
    let first = values.next();
    if values.next().is_some() { Err("a header that may be there once is there twice") } else { Ok(first) }
}

/// Reads `HOST:PORT`; who names a user there means to be misread.
fn authority(text: &str, usual: Option<u16>) -> Result<(NetHost, u16), Malformed> {
    if text.contains('@') {
        return Err("the target names a user");
    }
    let end = text.rfind(']').map_or(0, |at| at + 1);
    let (host, port) = match text.get(end..).unwrap_or_default().rfind(':') {
        Some(at) => {
            let (host, port) = text.split_at(end + at);
            let digits = port.get(1..).filter(|port| port.bytes().all(|letter| letter.is_ascii_digit()));
            let port = digits.and_then(|port| port.parse().ok()).filter(|port| *port > 0);
            (host, Some(port.ok_or("the port of the target is malformed")?))
        }
        None => (text, usual),
    };
    let host = host.parse().map_err(|_| "the host of the target is malformed")?;
    Ok((host, port.ok_or("the target names no port")?))
}

/// Reads `http://HOST[:PORT]/PATH`.
fn absolute(target: &str) -> Result<(NetHost, u16, String), Malformed> {
    let scheme = target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    let rest = scheme.and_then(|_| target.get(7..)).ok_or("this is a proxy: ask for `http://HOST/…`, or CONNECT")?;
    if rest.contains(['#', '\\']) {
        return Err("the target is malformed");
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (place, path) = rest.split_at(end);
    let (host, port) = authority(place, Some(80))?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    Ok((host, port, format!("{slash}{path}")))
}

/// Holds `Host` against the target.
fn agrees(
    headers: &Headers<'_>,
    host: &NetHost,
    port: u16,
    usual: Option<u16>,
    optional: bool,
) -> Result<(), Malformed> {
    let Some(named) = one(headers, "host")? else {
        return if optional { Ok(()) } else { Err("the request has no `Host`") };
    };
    // A tunnel's `Host` may leave out the port.
    let (named, with) = authority(named, usual.or(Some(port)))?;
    if named == *host && with == port { Ok(()) } else { Err("`Host` is not the host of the target") }
}

fn body(headers: &Headers<'_>, is_old: bool) -> Result<Body, Malformed> {
    match (one(headers, "transfer-encoding")?, one(headers, "content-length")?) {
        (None, None) => Ok(Body::None),
        (None, Some(length)) if length.bytes().all(|letter| letter.is_ascii_digit()) => {
            length.parse().map(Body::Length).map_err(|_| "the length of the body is malformed")
        }
        (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") && !is_old => Ok(Body::Chunked),
        (Some(_), _) | (None, Some(_)) => Err("the length of the body has two meanings"),
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
