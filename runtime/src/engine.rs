//! Engines: one driver for each HTTP version, over any byte stream. They reach features only through [`crate::Site`].

pub(crate) mod h1;
