/**
 * Options of node:tls, https and http2 connections that trust every certificate of the `ca` bundle as a root, as Go
 * does: a webhook configuration often contains the server certificate itself or an intermediate authority. By default
 * OpenSSL accepts only chains that end in a self-signed certificate.
 */
export const PARTIAL_CHAIN_TRUST = { allowPartialTrustChain: true } as const;
