import { OpenRequests } from './open-requests';

const TOO_MANY = { reason: 'TooManyRequests' };

describe('OpenRequests', () => {
  it('rejects a request to a backend that has as many open requests as allowed, and admits one to another backend', () => {
    const openRequests = new OpenRequests({ perBackend: 2, total: 10 });
    openRequests.acquire('a:1');
    const release = openRequests.acquire('a:1');
    expect(() => openRequests.acquire('a:1')).toThrow(expect.objectContaining(TOO_MANY));
    expect(() => openRequests.acquire('b:1')).not.toThrow();
    release();
    expect(() => openRequests.acquire('a:1')).not.toThrow();
  });

  it('limits the requests to all backends', () => {
    const openRequests = new OpenRequests({ perBackend: 2, total: 2 });
    const release = openRequests.acquire('a:1');
    openRequests.acquire('b:1');
    expect(() => openRequests.acquire('c:1')).toThrow(expect.objectContaining(TOO_MANY));
    release();
    expect(() => openRequests.acquire('c:1')).not.toThrow();
  });

  it('counts a request that is released twice once', () => {
    const openRequests = new OpenRequests({ perBackend: 1, total: 10 });
    const release = openRequests.acquire('a:1');
    release();
    release();
    openRequests.acquire('a:1');
    expect(() => openRequests.acquire('a:1')).toThrow(expect.objectContaining(TOO_MANY));
  });
});
