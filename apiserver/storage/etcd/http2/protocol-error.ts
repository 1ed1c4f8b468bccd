/** A violation of HTTP/2 by the server. It ends the connection. */
export class ProtocolError extends Error {}
