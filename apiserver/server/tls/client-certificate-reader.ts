/** The client's certificate, read once per connection, whatever the protocol; whether it still counts is asked at every request. */
import type { X509Certificate } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { commonNameOf, subjectValues } from '../../../shared/pki/certificates';
import type { ClientCertificate } from '../../authentication/authenticator';
import type { Exchange } from '../../endpoints/request/exchange';
import { lifeOf, type ClientAuthorities, type Life } from './client-authorities';

/** Whom this server trusts to tell clients, and whom to tell proxies that speak for others. */
export interface Authorities {
  readonly clients: ClientAuthorities;
  readonly proxies: ClientAuthorities;
}

interface Seen {
  facts: ClientCertificate;
  readonly certificate: X509Certificate;
  readonly life: Life;
  readonly handshake: Handshake;
  readonly asClient: Vouched;
  readonly asProxy: Vouched;
}

/** Whether it was found good for a client of one of the authorities, or nothing was found wrong with it but that none that signed itself is known. */
type Handshake = 'good' | 'unfinished' | 'bad';

/** Whether authorities vouch for a certificate, and since which of their changes that is known; -1 = it was never asked. */
interface Vouched {
  vouched: boolean;
  generation: number;
}

/** `undefined` for a connection without TLS or without a client certificate. */
export function certificateReader(authorities: Authorities): (exchange: Exchange) => ClientCertificate | undefined {
  const known = new WeakMap<object, Seen | 'none'>();
  return (exchange) => {
    const connection = connectionOf(exchange);
    if (connection === undefined) return undefined;
    let seen = known.get(connection);
    if (seen === undefined) {
      seen = read(connection) ?? 'none';
      known.set(connection, seen);
    }
    return seen === 'none' ? undefined : present(seen, authorities);
  };
}

/** What was true at the handshake may have ended: the certificate's time, or the trust in who signed it. */
function present(seen: Seen, { clients, proxies }: Authorities): ClientCertificate {
  const isGood = seen.handshake !== 'bad' && clients.isInTime(seen.life);
  const verified = isGood && isVouchedFor(seen, clients, seen.asClient);
  const isProxy = isGood && isVouchedFor(seen, proxies, seen.asProxy);
  const { facts } = seen;
  if (facts.verified !== verified || facts.isProxy !== isProxy) seen.facts = { ...facts, verified, isProxy };
  return seen.facts;
}

function isVouchedFor({ certificate, handshake }: Seen, authorities: ClientAuthorities, known: Vouched): boolean {
  if (known.generation !== authorities.generation) {
    known.vouched = handshake === 'good' ? authorities.vouchFor(certificate) : authorities.vouchForDirectly(certificate);
    known.generation = authorities.generation;
  }
  return known.vouched;
}

/** The TLS socket, or for HTTP/2 the session, which stands for one connection as well. */
function connectionOf(exchange: Exchange): object | undefined {
  const { input } = exchange;
  // The reply has no socket yet while the one before it on the connection is still on its way out; the request always has.
  if (input instanceof IncomingMessage) return input.socket instanceof TLSSocket ? input.socket : undefined;
  return input.session;
}

function read(connection: object): Seen | undefined {
  const socket = connection instanceof TLSSocket ? connection : 'socket' in connection ? connection.socket : undefined;
  if (!isTls(socket)) return undefined;
  const read = socket.getPeerX509Certificate();
  // Once the connection has ended there is neither, and the other one is null, whatever Node's types have it.
  if (read === undefined) return undefined;
  const subject: unknown = socket.getPeerCertificate().subject;
  if (typeof subject !== 'object' || subject === null) return undefined;
  const life = lifeOf(read);
  const facts = {
    verified: false,
    isProxy: false,
    commonName: commonNameOf(subject),
    organizations: subjectValues(subject, 'O'),
    expiresAt: life.until,
  };
  const never = (): Vouched => ({ vouched: false, generation: -1 });
  return { facts, certificate: read, life, handshake: handshakeOf(socket), asClient: never(), asProxy: never() };
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

/** An HTTP/2 session's socket is a proxy that shows its members only when they are read (`in` sees the session), so it is told by what it can do. */
function isTls(socket: unknown): socket is TLSSocket {
  return typeof socket === 'object' && socket !== null && typeof Reflect.get(socket, 'getPeerCertificate') === 'function';
}
