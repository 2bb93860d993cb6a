#pragma once
#include <qrencode.h>

// Whether the library is installed. Unlike that of other libraries, its absence ends nothing: without it there is no
// QR code. The functions must not be called then.
int cqrencode_is_there(void);
