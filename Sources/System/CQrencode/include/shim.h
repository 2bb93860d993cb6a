#pragma once
#include <qrencode.h>

// Returns whether the library is installed. Unlike the other libraries, it is optional. Without it, the program shows
// no QR codes and must not call its functions.
int cqrencode_is_there(void);
