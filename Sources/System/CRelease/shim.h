#pragma once

// Commit and date of a release, which `.ci/build-static` passes to the compiler. Other builds have neither.
#ifdef FOOTBRIDGE_COMMIT
#define RELEASE_COMMIT FOOTBRIDGE_COMMIT
#else
#define RELEASE_COMMIT ""
#endif
