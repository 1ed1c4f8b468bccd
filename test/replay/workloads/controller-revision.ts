/** ControllerRevision: what is asked of the reference server. */
import type { KindCases } from '../kind-cases';
import type { Body } from '../reference';

const revision = (members: Body): Body => ({ revision: 1, data: { a: 'b' }, ...members });

export const CONTROLLER_REVISIONS: KindCases = {
  resource: 'controllerrevisions',
  kind: 'ControllerRevision',
  apiVersion: 'apps/v1',
  namespaced: true,
  base: revision({}),
  bodies: {
    plain: revision({}),
    nothing: {},
    'revision: zero': revision({ revision: 0 }),
    'revision: absent': { data: { a: 'b' } },
    'revision: negative': revision({ revision: -1 }),
    'data: absent': { revision: 1 },
    'data: null': revision({ data: null }),
    'data: empty': revision({ data: {} }),
    'data: another': revision({ data: { a: 'c' } }),
    'data: a list': revision({ data: [1] }),
    'data: a text': revision({ data: 'a' }),
    'data: a number': revision({ data: 5 }),
    'data: no kind': revision({ data: { spec: { template: { $patch: 'replace' } } } }),
    'name: with capitals': { metadata: { name: 'A' }, ...revision({}) },
    'name: a subdomain': { metadata: { name: 'a.b' }, ...revision({}) },
    'name: of 254 bytes': { metadata: { name: { $text: 'a', $times: 254 } }, ...revision({}) },
    'everything wrong at once': { metadata: { labels: { a: '-' } }, revision: -1 },
  },
  changes: {
    'nothing changes': [revision({}), revision({})],
    'revision changes': [revision({}), revision({ revision: 2 })],
    'revision becomes smaller': [revision({ revision: 5 }), revision({ revision: 2 })],
    'data changes': [revision({}), revision({ data: { a: 'c' } })],
    'data is given': [{ revision: 1, data: {} }, revision({})],
    'data goes': [revision({}), { revision: 1 }],
    'data and revision become wrong': [revision({}), { revision: -1, data: { b: 1 } }],
    'members in another order': [revision({ data: { a: 1, b: 2 } }), revision({ data: { b: 2, a: 1 } })],
    'labels change': [revision({}), { metadata: { labels: { a: 'b' } }, ...revision({}) }],
  },
};
