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

interface ConnectionCertificate {
  facts: ClientCertificate;
  readonly certificate: X509Certificate;
  readonly validity: Validity;
  readonly handshake: Handshake;
  readonly asClient: TrustState;
  readonly asProxy: TrustState;
}

/**
 * The result of the handshake: verified against an authority, not verifiable for lack of a self-signed authority, or
 * invalid.
 */
type Handshake = 'good' | 'unfinished' | 'bad';

/** Whether authorities trust a certificate, as of their `generation`; -1: never checked. */
interface TrustState {
  isTrusted: boolean;
  generation: number;
}

/** Undefined for a connection without TLS or without a client certificate. */
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

/** The certificate may have expired since the handshake, and its authority may have been replaced. */
function evaluate(cached: ConnectionCertificate, { clients, proxies }: Authorities): ClientCertificate {
  const isGood = cached.handshake !== 'bad' && clients.isValidNow(cached.validity);
  const isVerified = isGood && isTrustedBy(cached, clients, cached.asClient);
  const isProxy = isGood && isTrustedBy(cached, proxies, cached.asProxy);
  const { facts } = cached;
  if (facts.isVerified !== isVerified || facts.isProxy !== isProxy) cached.facts = { ...facts, isVerified, isProxy };
  return cached.facts;
}

function isTrustedBy({ certificate, handshake }: ConnectionCertificate, authorities: ClientAuthorities, trust: TrustState): boolean {
  if (trust.generation !== authorities.generation) {
    trust.isTrusted = handshake === 'good' ? authorities.trusts(certificate) : authorities.trustsDirectly(certificate);
    trust.generation = authorities.generation;
  }
  return trust.isTrusted;
}

/** The TLS socket, or the session for HTTP/2, which has one connection too. */
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
  // After the connection has ended both are missing; `getPeerCertificate` then returns null, contrary to Node's
  // types.
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

const UNFINISHED: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function handshakeOf({ authorized, authorizationError }: TLSSocket): Handshake {
  if (authorized) return 'good';
  return UNFINISHED.has(authorizationError) ? 'unfinished' : 'bad';
}

/** The socket of an HTTP/2 session is a proxy on which `in` inspects the session, so it is recognized by its method. */
function isTls(socket: unknown): socket is TLSSocket {
  return typeof socket === 'object' && socket !== null && typeof Reflect.get(socket, 'getPeerCertificate') === 'function';
}
