/**
 * Reads the client certificate once per connection, for all protocols, and evaluates at every request whether it is still
 * valid and trusted. Which user a certificate identifies is up to the authenticator.
 */
import type { X509Certificate } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { commonNameOf, subjectValues } from '../../../shared/pki/certificates';
import type { ClientCertificate } from '../../authentication/authenticator';
import type { Exchange } from '../../endpoints/request/exchange';
import { validityOf, type ClientAuthorities, type Validity } from './client-authorities';

/** The authorities that verify clients, and those that verify front proxies. */
export interface Authorities {
  readonly clients: ClientAuthorities;
  readonly proxies: ClientAuthorities;
}

/** The certificate of one connection, and what was last decided about it. */
interface ConnectionCertificate {
  /** Replaced when `isVerified` or `isProxy` changes. */
  facts: ClientCertificate;
  readonly certificate: X509Certificate;
  readonly validity: Validity;
  readonly handshake: Handshake;
  readonly asClient: TrustState;
  readonly asProxy: TrustState;
}

/** The result of the handshake. `no-root`: OpenSSL found no self-signed authority at the end of the chain. */
type Handshake = 'verified' | 'no-root' | 'invalid';

/** Whether authorities trust a certificate, as of their `generation`; -1 when it was never checked. */
interface TrustState {
  isTrusted: boolean;
  generation: number;
}

/**
 * Returns the function that reads the certificate of a request's connection: `undefined` for a connection without TLS or
 * without a client certificate.
 */
export function createCertificateReader(authorities: Authorities): (exchange: Exchange) => ClientCertificate | undefined {
  const byConnection = new WeakMap<object, ConnectionCertificate | 'none'>();
  return (exchange) => {
    const connection = connectionOf(exchange);
    if (connection === undefined) return undefined;
    let cached = byConnection.get(connection);
    if (cached === undefined) {
      cached = readCertificate(connection) ?? 'none';
      byConnection.set(connection, cached);
    }
    return cached === 'none' ? undefined : evaluate(cached, authorities);
  };
}

/** Updates the facts: the certificate may have expired since the last request, and its authority may have been replaced. */
function evaluate(cached: ConnectionCertificate, { clients, proxies }: Authorities): ClientCertificate {
  const isValid = cached.handshake !== 'invalid' && clients.isValidNow(cached.validity);
  const isVerified = isValid && isTrustedBy(cached, clients, cached.asClient);
  const isProxy = isValid && isTrustedBy(cached, proxies, cached.asProxy);
  const { facts } = cached;
  if (facts.isVerified !== isVerified || facts.isProxy !== isProxy) cached.facts = { ...facts, isVerified, isProxy };
  return cached.facts;
}

function isTrustedBy({ certificate, handshake }: ConnectionCertificate, authorities: ClientAuthorities, trust: TrustState): boolean {
  if (trust.generation !== authorities.generation) {
    trust.isTrusted = handshake === 'verified' ? authorities.trusts(certificate) : authorities.trustsDirectly(certificate);
    trust.generation = authorities.generation;
  }
  return trust.isTrusted;
}

/** The object that stands for the connection: the TLS socket, or over HTTP/2 the session. `undefined` without TLS. */
function connectionOf(exchange: Exchange): object | undefined {
  const { input } = exchange;
  // A pipelined reply has no socket until the earlier one is complete; the request always has one.
  if (input instanceof IncomingMessage) return input.socket instanceof TLSSocket ? input.socket : undefined;
  return input.session;
}

function readCertificate(connection: object): ConnectionCertificate | undefined {
  const sessionSocket = 'socket' in connection ? connection.socket : undefined;
  const socket = connection instanceof TLSSocket ? connection : sessionSocket;
  if (!isTls(socket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  // The certificate is missing after the connection has ended, too. `getPeerCertificate` would then return null, contrary
  // to Node's types.
  if (certificate === undefined) return undefined;
  const subject: unknown = socket.getPeerCertificate().subject;
  if (typeof subject !== 'object' || subject === null) return undefined;
  const validity = validityOf(certificate);
  const facts = {
    isVerified: false,
    isProxy: false,
    commonName: commonNameOf(subject),
    organizations: subjectValues(subject, 'O'),
    expiresAt: validity.until,
  };
  const unchecked = (): TrustState => ({ isTrusted: false, generation: -1 });
  return { facts, certificate, validity, handshake: handshakeOf(socket), asClient: unchecked(), asProxy: unchecked() };
}

/** OpenSSL's errors for a chain without a self-signed authority. */
const NO_ROOT_ERRORS: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function handshakeOf({ authorized, authorizationError }: TLSSocket): Handshake {
  if (authorized) return 'verified';
  return NO_ROOT_ERRORS.has(authorizationError) ? 'no-root' : 'invalid';
}

/** The socket of an HTTP/2 session is a proxy on which `in` inspects the session, so it is recognized by its method. */
function isTls(socket: unknown): socket is TLSSocket {
  return typeof socket === 'object' && socket !== null && typeof Reflect.get(socket, 'getPeerCertificate') === 'function';
}
