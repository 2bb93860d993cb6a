'use strict';
// The page of a Footbridge gateway. The files beside this one are one script: page.c has their order.
// Names come from boards and people and may be hostile: they reach the page as text only.

