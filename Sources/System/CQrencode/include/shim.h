#pragma once
#include <qrencode.h>

// Returns whether the library is installed. Unlike other libraries, it is optional: without it, the program shows no QR
// codes, and must not call the functions.
int cqrencode_is_there(void);
