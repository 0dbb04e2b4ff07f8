//! The macro behind the table of settings; what it declares is in `registry.rs`.

/// Makes of the table: the struct of typed values, the list of descriptions, and what must visit every field.
macro_rules! settings {
    ($(#[doc = $doc:literal] $key:ident $(| $alias:ident)*: $type:ty $(as $reader:ty)? = $default:literal, $reload:ident, [$($env:literal),+];)*) => {
        /// The settings as the program uses them.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings {
            $(#[doc = $doc] pub $key: $type,)*
            /// What the tables `[agents.NAME]` say, by name.
            pub agents: Arc<BTreeMap<String, Setup>>,
            /// What the files of agents of the user's own say, by name.
            pub custom: Arc<BTreeMap<String, AgentFile>>,
            /// What the tables `[presets.NAME]` say: tools, by name.
            pub presets: Arc<BTreeMap<String, Vec<String>>>,
        }

        /// Every setting, in the order of the reference.
        pub const SETTINGS: &[Setting] = &[$(Setting {
            key: stringify!($key),
            aliases: &[$(stringify!($alias)),*],
            env: &[$($env),+],
            default: $default,
            doc: $doc.trim_ascii(),
            reload: Reload::$reload,
            form: <$type as Value>::FORM,
            secret: <$type as Value>::SECRET,
        }),*];

        impl Settings {
            /// Parses every resolved text, without looking at how they go together.
            pub(crate) fn parse(resolved: &Resolved, file: &FileValues) -> Result<Self, Error> {
                let (agents, presets) = (Arc::new(file.agents.clone()), Arc::new(file.presets.clone()));
                Ok(Self { agents, presets, custom: Arc::default(), $($key: resolved.parse(stringify!($key))$(.map(|read: $reader| <$type>::from(read)))??),* })
            }

            /// Takes over from `new` what can change while the server runs, and names what changed.
            pub(crate) fn merge(&self, new: &Self) -> Merged {
                let mut merged = Merged { settings: self.clone(), live: Vec::new(), restart: Vec::new() };
                $(if self.$key != new.$key {
                    match Reload::$reload {
                        Reload::Live => {
                            merged.settings.$key = new.$key.clone();
                            merged.live.push(Cow::Borrowed(stringify!($key)));
                        }
                        Reload::Restart => merged.restart.push(stringify!($key)),
                    }
                })*
                merged.settings.agents = Arc::clone(&new.agents);
                merged.settings.custom = Arc::clone(&new.custom);
                merged.live.extend(agent_tables::changes(&self.agents, &new.agents).into_iter().map(Cow::Owned));
                merged.live.extend(agent_files::changes(&self.custom, &new.custom).into_iter().map(Cow::Owned));
                merged.settings.presets = Arc::clone(&new.presets);
                merged.live.extend(preset_tables::changes(&self.presets, &new.presets).into_iter().map(Cow::Owned));
                merged
            }
        }
    };
}
pub(crate) use settings;
