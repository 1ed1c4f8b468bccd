/**
 * Limits the number of connections in total and per client address, and counts refused ones. Protects clients from
 * each other before anything is known about a connection. Touches no socket.
 */
import { parseIpAddress } from '../../../shared/values/network/ip-address';

/** Maximum numbers of open connections. */
export interface ConnectionCaps {
  /** 0: unlimited. */
  readonly total: number;
  /** Per IPv4 address or IPv6 /64 network, which is the least that one client has; 0: unlimited. */
  readonly perAddress: number;
}

/** The limit that a refused connection exceeds: the one in total, or that of its address. */
export type RefusalReason = 'total' | 'address';

/** The open client connections of a server. */
export class ConnectionLimiter {
  /** Number of open connections. */
  open = 0;
  /** Number of refused connections since the start. */
  readonly refused: Record<RefusalReason, number> = { total: 0, address: 0 };
  private readonly byClient = new Map<string, number>();

  constructor(private readonly caps: ConnectionCaps) {}

  /**
   * Counts a connection. Returns a function that releases it, to be called once; `undefined` when the connection is
   * refused.
   */
  tryEnter(address: string): (() => void) | undefined {
    const client = clientOf(address);
    const reason = this.refusalFor(client);
    if (reason !== undefined) {
      this.refused[reason] += 1;
      return undefined;
    }
    this.open += 1;
    this.byClient.set(client, (this.byClient.get(client) ?? 0) + 1);
    return () => this.release(client);
  }

  private refusalFor(client: string): RefusalReason | undefined {
    const { total, perAddress } = this.caps;
    if (total > 0 && this.open >= total) return 'total';
    return perAddress > 0 && (this.byClient.get(client) ?? 0) >= perAddress ? 'address' : undefined;
  }

  private release(client: string): void {
    this.open -= 1;
    const remaining = (this.byClient.get(client) ?? 1) - 1;
    if (remaining === 0) this.byClient.delete(client);
    else this.byClient.set(client, remaining);
  }
}

/** The lower half of an IPv6 address; a client can choose it freely within its network. */
const HOST_BITS = 64n;

/** The key that a client is counted under: its IPv4 address or IPv6 /64 network. */
function clientOf(address: string): string {
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return address;
  return parsed.family === 6 ? `6 ${parsed.value >> HOST_BITS}` : `4 ${parsed.value}`;
}
