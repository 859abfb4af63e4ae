//! Which operations are counted together.

/// Operations that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bucket {
    /// Every write within a game.
    Moves,
    /// Everything that is looked at, and that is in no other bucket.
    Reads,
    /// Finding and creating games.
    Lobby,
    /// Coming for the first time.
    SignUp,
    /// Tokens; for who tries a name and a password, the name stands for the player.
    SignIn,
    /// What an auditor asks for: a whole game at once.
    Audits,
}

impl Bucket {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Moves, Self::Reads, Self::Lobby, Self::SignUp, Self::SignIn, Self::Audits];

    /// Its name, in settings, headers and the document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moves => "moves",
            Self::Reads => "reads",
            Self::Lobby => "lobby",
            Self::SignUp => "sign_up",
            Self::SignIn => "sign_in",
            Self::Audits => "audits",
        }
    }

    /// Its place in [`Bucket::ALL`].
    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

/// The bucket of an operation, by its decoded path or by the template of that; `None` for what is never counted: an
/// instance that says it lives is not to be restarted because somebody asks too often.
pub fn bucket_of(method: &str, path: &str) -> Option<Bucket> {
    let Some(rest) = path.strip_prefix("/v1/") else { return (path != "/livez").then_some(Bucket::Reads) };
    let mut parts = rest.split('/');
    Some(match (parts.next(), parts.next(), parts.next()) {
        (Some("games"), Some(_), Some("bundle" | "audit")) => Bucket::Audits,
        (Some("games"), Some(_), Some("rematch")) | (Some("games"), None, _) => Bucket::Lobby,
        (Some("games"), Some(_), _) if method != "GET" => Bucket::Moves,
        (Some("players"), None, _) => Bucket::SignUp,
        (Some("tokens"), None, _) => Bucket::SignIn,
        (Some("audits"), None, _) => Bucket::Audits,
        _ => Bucket::Reads,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bucket_stands_where_its_index_says() {
        for (index, bucket) in Bucket::ALL.iter().enumerate() {
            assert_eq!(bucket.index(), index);
        }
    }

    #[test]
    fn a_path_and_its_template_are_in_the_same_bucket() {
        for (method, path, expected) in [
            ("POST", "/v1/games/{id}/moves", Some(Bucket::Moves)),
            ("PUT", "/v1/games/{id}/seed", Some(Bucket::Moves)),
            ("DELETE", "/v1/games/{id}/seats/me", Some(Bucket::Moves)),
            ("DELETE", "/v1/games/{id}", Some(Bucket::Moves)),
            ("GET", "/v1/games/{id}", Some(Bucket::Reads)),
            ("GET", "/v1/games/{id}/events", Some(Bucket::Reads)),
            ("GET", "/v1/events", Some(Bucket::Reads)),
            ("GET", "/v1/games", Some(Bucket::Lobby)),
            ("POST", "/v1/games", Some(Bucket::Lobby)),
            ("POST", "/v1/games/{id}/rematch", Some(Bucket::Lobby)),
            ("POST", "/v1/players", Some(Bucket::SignUp)),
            ("GET", "/v1/players/me", Some(Bucket::Reads)),
            ("POST", "/v1/tokens", Some(Bucket::SignIn)),
            ("DELETE", "/v1/tokens", Some(Bucket::SignIn)),
            ("GET", "/v1/games/{id}/bundle", Some(Bucket::Audits)),
            ("GET", "/v1/games/{id}/audit", Some(Bucket::Audits)),
            ("POST", "/v1/audits", Some(Bucket::Audits)),
            ("GET", "/readyz", Some(Bucket::Reads)),
            ("GET", "/nowhere", Some(Bucket::Reads)),
            ("GET", "/livez", None),
        ] {
            assert_eq!(bucket_of(method, path), expected, "{method} {path}");
            let path = path.replace("{id}", "019b7a5d-0f3e-76bd-ae5c-76030dd90abe");
            assert_eq!(bucket_of(method, &path), expected, "{method} {path}");
        }
    }
}
