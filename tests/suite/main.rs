//! The integration tests, one binary so that they link once.

mod ui; // the building blocks of drawing: text, themes, widgets, pictures of frames
