/** Which requests are long-running, and which seats they occupy. */
import { STORED_KINDS } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { longRunning } from './long-running';
import { Query } from './query';
import { parseRequestInfo } from './request-info';

/** The seats of a long-running request; `undefined` for another one. */
const seatsOf = (method: string, target: string): string | undefined => {
  const [path = '', query = ''] = target.split('?');
  return longRunning(parseRequestInfo(method, path, new Query(query), GENERATED_NAMES.kubernetes))?.seats;
};

describe('longRunning', () => {
  test.each([
    ['GET', '/api/v1/pods?watch=1', 'start'],
    ['GET', '/api/v1/namespaces/n/pods/p?watch=1', 'start'],
    ['GET', '/api/v1/watch/namespaces/n/pods/p', 'start'],
    ['GET', '/api/v1/watch/namespaces/n/pods/p/log', 'start'],
    ['GET', '/apis/wardle.example.com/v1/namespaces/n/flunders?watch=1', 'start'],
    ['GET', '/apis/wardle.example.com/v1/namespaces/n/flunders/f/log', 'none'],
    ['GET', '/api/v1/proxy/nodes/n', 'none'],
    ...['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'].map((method) => [method, '/api/v1/namespaces/n/services/s/proxy/x', 'none']),
    ['GET', '/api/v1/namespaces/n/pods/p/log?follow=1', 'none'],
    ['POST', '/api/v1/namespaces/n/pods/p/exec?command=ls', 'none'],
    ['GET', '/debug/pprof/profile', 'none'],
  ])('classifies %s %s as long-running with seats: %s', (method, target, seats) => {
    expect(seatsOf(method, target)).toBe(seats);
  });

  test.each([
    ['GET', '/api/v1/pods'],
    ['POST', '/api/v1/pods?watch=1'],
    ['DELETE', '/api/v1/watch/namespaces/n/pods'],
    ['GET', '/api/v1/namespaces/n/pods/p/status?watch=1'],
    ['GET', '/api/v1/namespaces/n/pods/log'],
    ['GET', '/debug/pprof'],
    ['GET', '/metrics?watch=1'],
  ])('classifies %s %s as not long-running', (method, target) => {
    expect(seatsOf(method, target)).toBeUndefined();
  });

  it('classifies every subresource that connects to a kubelet or backend as long-running', () => {
    const connecting = STORED_KINDS.flatMap(({ group, version, resource, subresources = [] }) =>
      subresources.filter(({ connects }) => connects !== undefined).map(({ name }) => `/apis/${group}/${version}/${resource}/x/${name}`),
    );
    expect(connecting.length).toBeGreaterThan(6);
    for (const path of connecting) expect([path, seatsOf('GET', path)]).toEqual([path, 'none']);
  });
});
