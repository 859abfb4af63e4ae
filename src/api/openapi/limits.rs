//! How often an operation may be asked for, as the document tells it: its bucket, and the headers that say what is left.

use serde_json::{Value, json};

use crate::api::limits::bucket_of;

/// Gives each operation its bucket, and its answers the headers that go with it.
pub fn tell(document: &mut Value) {
    let reference = |name: &str| json!({ "$ref": format!("#/components/headers/{name}") });
    let tell = |response: &mut Value| {
        response["headers"]["RateLimit-Policy"] = reference("RateLimitPolicy");
        response["headers"]["RateLimit"] = reference("RateLimit");
    };
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            let Some(bucket) = bucket_of(&method.to_uppercase(), path) else { continue };
            operation["x-rate-limit-bucket"] = json!(bucket.name());
            let responses = operation["responses"].as_object_mut().into_iter().flatten();
            responses.filter(|(_, it)| it.get("$ref").is_none()).for_each(|(_, response)| tell(response));
        }
    }
    let problems = document["components"]["responses"].as_object_mut().into_iter().flatten();
    // Whose method an address does not have, or whatever else goes wrong: it is counted all the same.
    problems.for_each(|(_, response)| tell(response));
    document["components"]["headers"] = json!({
        "RateLimitPolicy": {
            "description": "The limit that this request was counted for, by player where a token says who asks, else by \
                            address, and a try at a password by the name that is tried (IETF draft-ietf-httpapi-ratelimit-headers): `q` requests in `w` seconds, all of \
                            which may come at once. Missing where there is no limit.",
            "required": false,
            "schema": { "type": "string", "pattern": "^\"[a-z_-]+\";q=[0-9]+;w=[0-9]+$" },
            "example": "\"moves\";q=6000;w=60",
        },
        "RateLimit": {
            "description": "What is left of that limit: `r` requests, and all of them again in `t` seconds.",
            "required": false,
            "schema": { "type": "string", "pattern": "^\"[a-z_-]+\";r=[0-9]+;t=[0-9]+$" },
            "example": "\"moves\";r=5999;t=1",
        },
    });
}
