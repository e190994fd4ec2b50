//! The host: sessions as actors, shared by front ends in this process, told apart from those of others.
