/** Resolves host names that exist in this process only. All others are looked up as usual. */
import dns from 'node:dns';

/**
 * Makes names that end in `.test` resolve to the IPv4 address that `address` returns. The result restores the lookup.
 */
export function stubTestDomains(address: () => string): () => void {
  const { lookup } = dns;
  const { lookup: lookupPromised } = dns.promises;
  const isTestDomain = (name: unknown): boolean => typeof name === 'string' && name.endsWith('.test');
  const lookupResult = () => [{ address: address(), family: 4 }];
  Object.assign(dns, {
    lookup: (name: string, ...rest: unknown[]): unknown => {
      if (!isTestDomain(name)) return Reflect.apply(lookup, dns, [name, ...rest]);
      const callback = rest.at(-1);
      if (typeof callback === 'function') setImmediate(() => void Reflect.apply(callback, undefined, [null, lookupResult()]));
      return {};
    },
  });
  Object.assign(dns.promises, {
    lookup: async (name: string, ...rest: unknown[]): Promise<unknown> =>
      isTestDomain(name) ? lookupResult() : Reflect.apply(lookupPromised, dns.promises, [name, ...rest]),
  });
  return () => {
    Object.assign(dns, { lookup });
    Object.assign(dns.promises, { lookup: lookupPromised });
  };
}
