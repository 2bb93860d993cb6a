#pragma once
#include <ini.h>

// The handler would have another argument, and the library is built for one of the two.
#if INI_HANDLER_LINENO
#error "libinih passes line numbers to its handler; footbridge is written for the usual build without them"
#endif
