#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <late.h>

#define CRYPTO(result, name, parameters, arguments) LATE("libcrypto.so.3", result, name, parameters, arguments)

CRYPTO(BIO *, BIO_new_mem_buf, (const void *bytes, int count), (bytes, count))
CRYPTO(int, BIO_free, (BIO * file), (file))
CRYPTO(void, ERR_clear_error, (void), ())
CRYPTO(int, EVP_Digest,
       (const void *bytes, size_t count, unsigned char *hash, unsigned int *size, const EVP_MD *kind, ENGINE *engine),
       (bytes, count, hash, size, kind, engine))
CRYPTO(const EVP_MD *, EVP_sha256, (void), ())
CRYPTO(EVP_MD_CTX *, EVP_MD_CTX_new, (void), ())
CRYPTO(void, EVP_MD_CTX_free, (EVP_MD_CTX * context), (context))
CRYPTO(int, EVP_DigestInit_ex, (EVP_MD_CTX * context, const EVP_MD *kind, ENGINE *engine), (context, kind, engine))
CRYPTO(int, EVP_DigestUpdate, (EVP_MD_CTX * context, const void *bytes, size_t count), (context, bytes, count))
CRYPTO(int, EVP_DigestFinal_ex, (EVP_MD_CTX * context, unsigned char *hash, unsigned int *size), (context, hash, size))
CRYPTO(int, EVP_DigestSignInit,
       (EVP_MD_CTX * context, EVP_PKEY_CTX **key, const EVP_MD *kind, ENGINE *engine, EVP_PKEY *private),
       (context, key, kind, engine, private))
CRYPTO(int, EVP_DigestSign,
       (EVP_MD_CTX * context, unsigned char *signature, size_t *size, const unsigned char *bytes, size_t count),
       (context, signature, size, bytes, count))
CRYPTO(int, EVP_PKEY_is_a, (const EVP_PKEY *key, const char *kind), (key, kind))
CRYPTO(void, EVP_PKEY_free, (EVP_PKEY * key), (key))
CRYPTO(EVP_PKEY *, PEM_read_bio_PrivateKey, (BIO * file, EVP_PKEY **key, pem_password_cb *ask, void *context),
       (file, key, ask, context))
CRYPTO(X509 *, PEM_read_bio_X509, (BIO * file, X509 **certificate, pem_password_cb *ask, void *context),
       (file, certificate, ask, context))
CRYPTO(void, X509_free, (X509 * certificate), (certificate))
CRYPTO(const ASN1_TIME *, X509_get0_notBefore, (const X509 *certificate), (certificate))
CRYPTO(const ASN1_TIME *, X509_get0_notAfter, (const X509 *certificate), (certificate))
CRYPTO(int, ASN1_TIME_to_tm, (const ASN1_TIME *time, struct tm *parts), (time, parts))
