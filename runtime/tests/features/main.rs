//! Handlers of the features called directly, as generated code calls them: head lines and bodies, byte for byte.

mod answers;
mod checks;
mod embedded;
mod handled;
mod matching;
mod rooted;
mod siblings;
