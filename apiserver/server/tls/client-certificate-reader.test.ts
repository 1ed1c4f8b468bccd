import type { Exchange } from '../../endpoints/request/exchange';
import type { ClientAuthorities } from './client-authorities';
import { certificateReader } from './client-certificate-reader';

describe('the certificate of a client', () => {
  it('is absent when the connection has ended before it was read', () => {
    const authorities: ClientAuthorities = Object.create(null);
    const read = certificateReader({ clients: authorities, proxies: authorities });
    // As Node answers once the socket's handle is gone.
    const socket = { getPeerCertificate: () => null, getPeerX509Certificate: () => undefined };
    const exchange: Exchange = Object.assign(Object.create(null), { input: { session: { socket } } });
    expect(read(exchange)).toBeUndefined();
  });
});
