/** How far what is named as an authority is trusted. Names nobody itself. */

/**
 * For connections of node:tls, https and http2: every certificate of a bundle is trusted for itself and for what it signed, as clients in Go trust
 * it, whoever signed it in turn. Webhooks often name their own certificate, and an authority is often one below another; OpenSSL by
 * itself believes only what ends in a certificate that signed itself.
 */
export const PARTIAL_CHAIN_TRUST = { allowPartialTrustChain: true } as const;
