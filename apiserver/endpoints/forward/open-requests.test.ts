import { OpenRequests } from './open-requests';

const TOO_MANY = { reason: 'TooManyRequests' };

describe('OpenRequests', () => {
  it('rejects a request to a backend that has as many as allowed, and admits one to another backend', () => {
    const open = new OpenRequests({ perBackend: 2, total: 10 });
    open.acquire('a:1');
    const release = open.acquire('a:1');
    expect(() => open.acquire('a:1')).toThrow(expect.objectContaining(TOO_MANY));
    expect(() => open.acquire('b:1')).not.toThrow();
    release();
    expect(() => open.acquire('a:1')).not.toThrow();
  });

  it('limits the requests to all backends', () => {
    const open = new OpenRequests({ perBackend: 2, total: 2 });
    const release = open.acquire('a:1');
    open.acquire('b:1');
    expect(() => open.acquire('c:1')).toThrow(expect.objectContaining(TOO_MANY));
    release();
    expect(() => open.acquire('c:1')).not.toThrow();
  });

  it('counts a request that is released twice once', () => {
    const open = new OpenRequests({ perBackend: 1, total: 10 });
    const release = open.acquire('a:1');
    release();
    release();
    open.acquire('a:1');
    expect(() => open.acquire('a:1')).toThrow(expect.objectContaining(TOO_MANY));
  });
});
