/** Events of both groups: what is asked of the reference server. */
import { apiVersionIn } from '../../../shared/names/dialect';
import type { KindCases } from '../kind-cases';
import type { Body } from '../reference';

/** The replay's, which messages name. */
const NAMESPACE = 'ns';
const about = (members: Body = {}): Body => ({ kind: 'Pod', namespace: NAMESPACE, name: 'p', ...members });
const old = (members: Body = {}): Body => ({ involvedObject: about(), reason: 'R', type: 'Normal', ...members });
const TIME = '2020-01-01T00:00:00.000000Z';
const timed = (members: Body = {}): Body => ({
  eventTime: TIME,
  reportingController: 'example.com/c',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  type: 'Normal',
  regarding: about(),
  ...members,
});
const timedOld = (members: Body = {}): Body => ({
  ...old(),
  eventTime: TIME,
  reportingComponent: 'example.com/c',
  reportingInstance: 'i',
  action: 'A',
  ...members,
});

export const EVENTS: KindCases = {
  resource: 'events',
  kind: 'Event',
  apiVersion: 'v1',
  namespaced: true,
  base: old(),
  bodies: {
    plain: old(),
    nothing: {},
    'no type': { involvedObject: about(), reason: 'R' },
    'an unknown type': old({ type: 'What' }),
    'another namespace': old({ involvedObject: about({ namespace: 'other' }) }),
    'no namespace': old({ involvedObject: { kind: 'Pod', name: 'p' } }),
    'a node': old({ involvedObject: { kind: 'Node', name: 'n' } }),
    'a node in a namespace': old({ involvedObject: { kind: 'Node', apiVersion: 'v1', name: 'n', namespace: NAMESPACE } }),
    'an unknown kind': old({ involvedObject: { kind: 'X', apiVersion: 'a.io/v1', name: 'n' } }),
    'a malformed version': old({ involvedObject: { kind: 'X', apiVersion: 'a/b/c', name: 'n' } }),
    'a long reason': old({ reason: { $text: 'x', $times: 2000 } }),
    timed: timedOld(),
    'timed: another namespace': timedOld({ involvedObject: about({ namespace: 'other' }) }),
    'timed: no namespace': timedOld({ involvedObject: { kind: 'Node', name: 'n' } }),
    'timed: nothing else': { involvedObject: about(), eventTime: TIME },
    'timed: no controller': timedOld({ reportingComponent: '' }),
    'timed: a malformed controller': timedOld({ reportingComponent: 'a b' }),
    'timed: no instance': timedOld({ reportingInstance: '' }),
    'timed: a long instance': timedOld({ reportingInstance: { $text: 'x', $times: 129 } }),
    'timed: no action': timedOld({ action: '' }),
    'timed: a long action': timedOld({ action: { $text: 'x', $times: 129 } }),
    'timed: no reason': timedOld({ reason: '' }),
    'timed: a long reason': timedOld({ reason: { $text: 'x', $times: 129 } }),
    'timed: a long message': timedOld({ message: { $text: 'x', $times: 1025 } }),
    'timed: an unknown type': timedOld({ type: 'What' }),
    'timed: a series of one': timedOld({ series: { count: 1, lastObservedTime: TIME } }),
    'timed: a series': timedOld({ series: { count: 2, lastObservedTime: TIME } }),
    'timed: a series without a time': timedOld({ series: { count: 2 } }),
    'labels wrong': { metadata: { labels: { a: '-' } }, ...old({ involvedObject: about({ namespace: 'other' }) }) },
  },
  changes: {
    'nothing changes': [old(), old()],
    'the count changes': [old(), old({ count: 2 })],
    'the object changes': [old(), old({ involvedObject: about({ name: 'q' }) })],
    'the namespace changes': [old(), old({ involvedObject: about({ namespace: 'other' }) })],
    'timed: a series comes': [timedOld(), timedOld({ series: { count: 2, lastObservedTime: TIME } })],
    'timed: the action changes': [timedOld(), timedOld({ action: 'B' })],
  },
};

export const NEWER_EVENTS: KindCases = {
  resource: 'events',
  kind: 'Event',
  apiVersion: apiVersionIn('kubernetes', 'events.platform.io/v1'),
  namespaced: true,
  base: timed(),
  bodies: {
    plain: timed(),
    nothing: {},
    'no time': timed({ eventTime: null }),
    'no controller': timed({ reportingController: '' }),
    'a malformed controller': timed({ reportingController: 'a b' }),
    'no instance': timed({ reportingInstance: '' }),
    'no action': timed({ action: '' }),
    'no reason': timed({ reason: '' }),
    'a long reason': timed({ reason: { $text: 'x', $times: 129 } }),
    'an unknown type': timed({ type: 'What' }),
    'a long note': timed({ note: { $text: 'x', $times: 1025 } }),
    'a series of one': timed({ series: { count: 1, lastObservedTime: TIME } }),
    'a series': timed({ series: { count: 2, lastObservedTime: TIME } }),
    'a series without a time': timed({ series: { count: 2 } }),
    'another namespace': timed({ regarding: about({ namespace: 'other' }) }),
    'no namespace': timed({ regarding: { kind: 'Node', name: 'n' } }),
    'a deprecated source': timed({ deprecatedSource: { component: 'x' } }),
    'a deprecated count': timed({ deprecatedCount: 1 }),
    'a deprecated time': timed({ deprecatedFirstTimestamp: '2020-01-01T00:00:00Z' }),
    'everything wrong': { metadata: { labels: { a: '-' } }, type: 'What', regarding: about({ namespace: 'other' }) },
  },
  changes: {
    'nothing changes': [timed(), timed()],
    'a series comes': [timed(), timed({ series: { count: 2, lastObservedTime: TIME } })],
    'the reason changes': [timed(), timed({ reason: 'S' })],
    'the note changes': [timed(), timed({ note: 'n' })],
    'the object changes': [timed(), timed({ regarding: about({ name: 'q' }) })],
    'related comes': [timed(), timed({ related: about() })],
    'the type changes': [timed(), timed({ type: 'Warning' })],
    'everything changes': [
      timed(),
      timed({ action: 'B', eventTime: '2021-01-01T00:00:00.000000Z', reportingController: 'x', reportingInstance: 'y' }),
    ],
  },
};
