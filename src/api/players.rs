//! Players and their tokens.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Service;
use super::extract::{Body, Caller, MaybeCaller, OptionalBody};
use super::problem::{Code, Problem};
use crate::dealer::{Account, DealerError, Password, PlayerName};
use crate::ids::PlayerId;
use crate::principal::Bearer;
use crate::timestamp::Timestamp;

/// Who wants to play.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPlayer {
    /// 1 to 32 characters after NFKC and trimming, none of them a control or an invisible one; unique without case.
    #[schema(min_length = 1, max_length = 32, example = "Ana")]
    name: String,
    /// 8 to 128 characters; without one the player is a guest, who can't sign in again.
    #[serde(default)]
    #[schema(min_length = 8, max_length = 128, example = json!(null))]
    password: Option<String>,
}

/// A name and its password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The player's name.
    #[schema(min_length = 1, max_length = 32, example = "Ana")]
    name: String,
    /// The player's password.
    #[schema(min_length = 8, max_length = 128, example = "correct horse battery staple")]
    password: String,
}

/// A player, as anybody may see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Player {
    /// The player's id.
    id: PlayerId,
    /// The player's name.
    #[schema(example = "Ana")]
    name: String,
    /// Whether the player can't come again without a token: it has no password, and is of no identity provider.
    guest: bool,
    /// When the player came first.
    created_at: Timestamp,
}

/// A token, to be sent as `Authorization: Bearer …`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Token {
    /// The token: a JWT, signed with EdDSA.
    token: String,
    /// From when on it is no good.
    expires_at: Timestamp,
}

/// A player and its first token.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignedUp {
    /// The player.
    player: Player,
    /// The token: a JWT, signed with EdDSA.
    token: String,
    /// From when on it is no good.
    expires_at: Timestamp,
}

impl From<&Account> for Player {
    fn from(account: &Account) -> Self {
        let Account { id, name, guest, created_at, .. } = account;
        Self { id: *id, name: name.clone(), guest: *guest, created_at: *created_at }
    }
}

fn name(text: &str) -> Result<PlayerName, Problem> {
    PlayerName::parse(text).map_err(|error| Problem::new(Code::InvalidName, error.to_string()))
}

fn password(text: String) -> Result<Password, Problem> {
    Password::parse(text).map_err(|error| Problem::new(Code::InvalidPassword, error.to_string()))
}

fn issue(service: &Service, account: &Account) -> Result<Token, Problem> {
    let bearer = Bearer { player: account.id, generation: account.token_generation };
    let issued = service.tokens.issue(bearer, service.dealer.inputs().now());
    let issued = issued.map_err(|_| Problem::of(Code::Internal))?;
    Ok(Token { token: issued.token, expires_at: issued.expires_at })
}

/// Sign up, or come as a guest
///
/// Without a password the player is a guest: it plays with the token it gets here, renews that in time, and can't
/// sign in again once it is lost. This is the one write that can't be repeated: where its answer was lost, the name is
/// taken (`name_taken`), so sign in, or take another as a guest.
#[utoipa::path(
    tag = "players", operation_id = "createPlayer", request_body = NewPlayer, security(()),
    responses((status = 201, description = "The player, and a token for 7 days.", body = SignedUp))
)]
#[post("/v1/players")]
pub async fn create(service: web::Data<Service>, Body(new): Body<NewPlayer>) -> Result<HttpResponse, Problem> {
    let password = new.password.map(password).transpose()?;
    let account = service.dealer.sign_up(name(&new.name)?, password).await?;
    let Token { token, expires_at } = issue(&service, &account)?;
    let mut response = HttpResponse::Created();
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    Ok(response.json(SignedUp { player: Player::from(&account), token, expires_at }))
}

/// Who am I
///
/// The player that the token names.
#[utoipa::path(
    tag = "players", operation_id = "getMe", security(("token" = [])),
    responses((status = 200, description = "The caller.", body = Player))
)]
#[get("/v1/players/me")]
pub async fn me(caller: Caller) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    super::answers::private(&mut response);
    response.json(Player::from(caller.0.as_ref()))
}

/// Get a token
///
/// With name and password a player's, whatever token is sent with it; with a valid token and no body a new one, guests
/// included. Each call makes a new one. Tries at a password are counted by the name that is tried, from wherever they come.
#[utoipa::path(
    tag = "players", operation_id = "createToken", request_body = Option<Credentials>, security((), ("token" = [])),
    responses((status = 201, description = "A token for 7 days.", body = Token))
)]
#[post("/v1/tokens")]
pub async fn create_token(
    service: web::Data<Service>,
    caller: Result<MaybeCaller, Problem>,
    request: HttpRequest,
    OptionalBody(credentials): OptionalBody<Credentials>,
) -> Result<HttpResponse, Problem> {
    let account = match credentials {
        // Whoever was sent along with them, as by a front end that sends its old token with everything.
        Some(Credentials { name: text, password: secret }) => {
            // What can't be a name or a password is nobody's.
            let wrong = |_| Problem::from(DealerError::WrongCredentials);
            let (name, password) = (name(&text).map_err(wrong)?, password(secret).map_err(wrong)?);
            service.limits.count_name(&request, &name.key())?;
            service.dealer.sign_in(name, password).await?.into()
        }
        None => {
            let nobody = || Problem::new(Code::TokenMissing, "send name and password, or a token to renew");
            caller?.0.ok_or_else(nobody)?
        }
    };
    let mut response = HttpResponse::Created();
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    Ok(response.json(issue(&service, &account)?))
}

/// End my tokens
///
/// Ends all tokens issued to the caller so far, the one of this request included.
#[utoipa::path(
    tag = "players", operation_id = "endTokens", security(("token" = [])),
    responses((status = 204, description = "They are ended."))
)]
#[delete("/v1/tokens")]
pub async fn end_tokens(service: web::Data<Service>, caller: Caller) -> Result<HttpResponse, Problem> {
    service.dealer.end_tokens(caller.id()).await?;
    Ok(HttpResponse::NoContent().finish())
}
