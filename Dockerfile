# Needs BuildKit (Docker 23 or newer), for the caches: they keep dependencies from one build to the next.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
# Cargo goes by times: a cache filled from another checkout must not pass for newer than these sources.
RUN --mount=type=cache,id=croupier-registry,target=/usr/local/cargo/registry,sharing=locked \
    --mount=type=cache,id=croupier-target,target=/src/target,sharing=locked \
    find src -type f -exec touch {} + \
    && cargo build --locked --release --bin croupier \
    && install -D -m 0755 target/release/croupier /out/croupier

FROM debian:bookworm-slim
# Certificates, for a Postgres behind TLS. Unpinned, so that each build has the fixes of its day.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/croupier \
        --shell /usr/sbin/nologin croupier \
    && install -d -o croupier -g croupier -m 0700 /var/lib/croupier
COPY --from=build /out/croupier /usr/local/bin/croupier
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/croupier/
USER 10001
# The data folder, where the keys are, is $XDG_DATA_HOME/croupier.
ENV CROUPIER_LISTEN=0.0.0.0:8080 XDG_DATA_HOME=/var/lib
VOLUME /var/lib/croupier
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["croupier", "healthcheck"]
ENTRYPOINT ["croupier"]
CMD ["serve"]
