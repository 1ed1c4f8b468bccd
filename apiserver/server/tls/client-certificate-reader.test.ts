import type { Exchange } from '../../endpoints/request/exchange';
import type { ClientAuthorities } from './client-authorities';
import { createCertificateReader } from './client-certificate-reader';

describe('createCertificateReader', () => {
  it('returns undefined when the connection has ended before its certificate was read', () => {
    const authorities: ClientAuthorities = Object.create(null);
    const read = createCertificateReader({ clients: authorities, proxies: authorities });
    // Node returns these values once the socket's handle is closed.
    const socket = { getPeerCertificate: () => null, getPeerX509Certificate: () => undefined };
    const exchange: Exchange = Object.assign(Object.create(null), { input: { session: { socket } } });
    expect(read(exchange)).toBeUndefined();
  });
});
