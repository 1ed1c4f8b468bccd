/**
 * Formats errors of outgoing connections as Go's net and crypto/tls packages do, because upstream's messages contain
 * those texts.
 */
import { errorCode } from './error-code';

const UNKNOWN_AUTHORITY_CODES: ReadonlySet<string | undefined> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const VERIFICATION_FAILED = 'tls: failed to verify certificate: x509: ';

const INVALID_CERTIFICATE_CODES: ReadonlySet<string | undefined> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Whether the connection failed because the certificate of the server was not accepted. */
export function isCertificateError(error: Error): boolean {
  const code = connectionErrorCode(error);
  return UNKNOWN_AUTHORITY_CODES.has(code) || INVALID_CERTIFICATE_CODES.has(code);
}

/** The code of an error, or that of its cause: HTTP clients wrap errors of the socket. */
const connectionErrorCode = (error: Error): string | undefined => errorCode(error.cause ?? error);

/** The text of Go for an error of a connection to `server`; the message of the error when Go has none for its code. */
export function connectionErrorText(error: Error, server: URL): string {
  const code = connectionErrorCode(error);
  const defaultPort = server.protocol === 'https:' ? '443' : '80';
  const port = server.port === '' ? defaultPort : server.port;
  if (UNKNOWN_AUTHORITY_CODES.has(code)) return `${VERIFICATION_FAILED}certificate signed by unknown authority`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${server.hostname}:${port}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${server.hostname}: no such host`;
    case 'ECONNRESET':
      return 'EOF';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${VERIFICATION_FAILED}certificate has expired or is not yet valid`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return VERIFICATION_FAILED + error.message;
    default:
      return error.message;
  }
}
