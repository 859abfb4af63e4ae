//! The service, as people and operators meet it.
