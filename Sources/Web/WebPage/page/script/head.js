'use strict';
// The page of a Footbridge gateway. All script files are joined into one, in the order listed in page.c.
// Names come from boards and people and may be malicious, so they are always inserted as text.

