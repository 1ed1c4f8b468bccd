/** Host names that exist in this process only, and lead where a test says. All others are looked up as ever. */
import dns from 'node:dns';

/** Names that end in `.test` lead to what `address` returns, an IPv4 address. Returns how to undo it. */
export function makeUpNames(address: () => string): () => void {
  const { lookup } = dns;
  const { lookup: lookupPromised } = dns.promises;
  const isMadeUp = (name: unknown): boolean => typeof name === 'string' && name.endsWith('.test');
  const found = () => [{ address: address(), family: 4 }];
  Object.assign(dns, {
    lookup: (name: string, ...rest: unknown[]): unknown => {
      if (!isMadeUp(name)) return Reflect.apply(lookup, dns, [name, ...rest]);
      const answered = rest[rest.length - 1];
      if (typeof answered === 'function') setImmediate(() => void Reflect.apply(answered, undefined, [null, found()]));
      return {};
    },
  });
  Object.assign(dns.promises, {
    lookup: async (name: string, ...rest: unknown[]): Promise<unknown> =>
      isMadeUp(name) ? found() : Reflect.apply(lookupPromised, dns.promises, [name, ...rest]),
  });
  return () => {
    Object.assign(dns, { lookup });
    Object.assign(dns.promises, { lookup: lookupPromised });
  };
}
