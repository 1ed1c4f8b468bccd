/** The error of a server that violates HTTP/2 (RFC 9113). Its connection cannot be used any further. */

/** Thrown by the readers of frames and header blocks; the session then destroys the connection. */
export class ProtocolError extends Error {}
