/**
 * The names of WebSocket sub-protocols and of stream protocols to kubelets, as clients and kubelets spell them. Only the
 * bearer tokens have a spelling in each dialect.
 */

/** Prefixes of a WebSocket sub-protocol that carries a bearer token. */
export const WEBSOCKET_TOKEN_PROTOCOL_PREFIXES: readonly string[] = [
  'base64url.bearer.authorization.platform.io.',
  'base64url.bearer.authorization.k8s.io.',
];

/** The sub-protocol in which the streams of a container share a WebSocket and can be closed one by one. */
export const CLOSING_STREAM_PROTOCOL = 'v5.channel.k8s.io';
/** The stream protocols that kubelets are offered, in order of preference. */
export const KUBELET_STREAM_PROTOCOLS: readonly string[] = [
  CLOSING_STREAM_PROTOCOL,
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
];

/** The sub-protocols for a log over a WebSocket: binary messages, or text messages in base64. */
export const LOG_PROTOCOLS = { binary: 'binary.k8s.io', base64: 'base64.binary.k8s.io' } as const;

/** The protocol of port forwarding to a kubelet, and the WebSocket sub-protocol that tunnels its connection. */
export const PORT_FORWARD_PROTOCOL = 'portforward.k8s.io';
export const PORT_FORWARD_TUNNEL = `SPDY/3.1+${PORT_FORWARD_PROTOCOL}`;
