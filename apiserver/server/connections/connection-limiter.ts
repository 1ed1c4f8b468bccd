/**
 * How many connections there are, in all and from one client, and how many were turned away. Bounds what clients can take from each other by
 * connecting alone, before anything is known about them. Never touches a socket.
 */
import { parseIpAddress } from '../../../shared/values/ip-address';

export interface ConnectionCaps {
  /** 0 = any number. */
  readonly total: number;
  /** From one IPv4 address or one /64 network of IPv6, the least that one client has to himself; 0 = any number. */
  readonly perAddress: number;
}

export type Refusal = 'total' | 'address';

export class Connections {
  open = 0;
  /** Turned away since the start. */
  readonly refused: Record<Refusal, number> = { total: 0, address: 0 };
  private readonly byClient = new Map<string, number>();

  constructor(private readonly caps: ConnectionCaps) {}

  /** Takes a place and returns what gives it back, to be called once; undefined = there is none. */
  enter(address: string): (() => void) | undefined {
    const client = clientOf(address);
    const refusal = this.refusal(client);
    if (refusal !== undefined) {
      this.refused[refusal] += 1;
      return undefined;
    }
    this.open += 1;
    this.byClient.set(client, (this.byClient.get(client) ?? 0) + 1);
    return () => this.leave(client);
  }

  private refusal(client: string): Refusal | undefined {
    const { total, perAddress } = this.caps;
    if (total > 0 && this.open >= total) return 'total';
    return perAddress > 0 && (this.byClient.get(client) ?? 0) >= perAddress ? 'address' : undefined;
  }

  private leave(client: string): void {
    this.open -= 1;
    const left = (this.byClient.get(client) ?? 1) - 1;
    if (left === 0) this.byClient.delete(client);
    else this.byClient.set(client, left);
  }
}

const HOST_BITS = 64n;

function clientOf(address: string): string {
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return address;
  return parsed.family === 6 ? `6 ${parsed.value >> HOST_BITS}` : `4 ${parsed.value}`;
}
