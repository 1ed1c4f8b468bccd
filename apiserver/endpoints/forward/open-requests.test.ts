/** The limits of open requests to one backend and to all backends. */
import { OpenRequests } from './open-requests';

/** The error of a request beyond a limit. */
const TOO_MANY_REQUESTS = { reason: 'TooManyRequests' };

describe('OpenRequests', () => {
  it('limits the requests to one backend, and no other backend with it', () => {
    const openRequests = new OpenRequests({ perBackend: 2, total: 10 });
    openRequests.acquire('a:1');
    openRequests.acquire('a:1');
    expect(() => openRequests.acquire('a:1')).toThrow(expect.objectContaining(TOO_MANY_REQUESTS));
    expect(() => openRequests.acquire('b:1')).not.toThrow();
  });

  it('admits a request to a backend again after another one was released', () => {
    const openRequests = new OpenRequests({ perBackend: 1, total: 10 });
    const release = openRequests.acquire('a:1');
    release();
    expect(() => openRequests.acquire('a:1')).not.toThrow();
  });

  it('limits the requests to all backends', () => {
    const openRequests = new OpenRequests({ perBackend: 2, total: 2 });
    const release = openRequests.acquire('a:1');
    openRequests.acquire('b:1');
    expect(() => openRequests.acquire('c:1')).toThrow(expect.objectContaining(TOO_MANY_REQUESTS));
    release();
    expect(() => openRequests.acquire('c:1')).not.toThrow();
  });

  it('ignores the second release of a request', () => {
    const openRequests = new OpenRequests({ perBackend: 1, total: 10 });
    const release = openRequests.acquire('a:1');
    release();
    release();
    openRequests.acquire('a:1');
    // If the second release counted, this request would be admitted.
    expect(() => openRequests.acquire('a:1')).toThrow(expect.objectContaining(TOO_MANY_REQUESTS));
  });
});
