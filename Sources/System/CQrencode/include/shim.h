#pragma once
#include <qrencode.h>

// Returns whether the library is installed. Its absence does not end the program, unlike that of other libraries:
// there is then no QR code, and the functions must not be called.
int cqrencode_is_there(void);
