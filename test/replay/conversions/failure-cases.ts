/** What happens while a conversion webhook fails or does not answer: watches that are open, versions that go. The cases of the recording. */
import { DEFINITION, DEFINITIONS, first, get, merge, path, post, remove, second, versions, type ConversionCase, type Step } from './case';

const after = (does: string, step: Step): Step => ({ ...step, does });
const silent = { silent: true } as const;

const HANGING: ConversionCase = {
  title: 'it hangs, and the client does not wait',
  steps: [
    post(path('v1'), first('a'), silent),
    after('hang', get(path('v2', 'a', '?timeout=1s'))),
    post(path('v2', '', '?timeout=1s'), second('b')),
    merge(path('v2', 'a', '?timeout=1s'), { spec: { port: 3 } }),
    remove(path('v2', 'a', '?timeout=1s')),
    merge(path('v1', 'a', '?timeout=1s'), { spec: { address: 'i:1' } }),
    after('good', get(path('v1', 'a'))),
  ],
};

const watch = (apiVersion: string, query: string, ...during: Step[]): Step =>
  get(path(apiVersion, '', `?watch=1&timeoutSeconds=2${query}`), { during });

const WATCHING: ConversionCase = {
  title: 'a watch while it fails',
  steps: [
    post(path('v1'), first('a')),
    get(path('v2'), silent),
    watch('v2', '&resourceVersion=0', merge(path('v1', 'a'), { spec: { address: 'i:2' } }, silent)),
    watch(
      'v2',
      '&resourceVersion=0',
      merge(path('v1', 'a'), { spec: { address: 'j:3' } }, silent),
      get(path('v2', 'a'), { until: ['spec.host', 'j'], ...silent }),
      after('failure', merge(path('v1', 'a'), { spec: { address: 'k:4' } }, silent)),
    ),
    after('good', get(path('v2', 'a'))),
  ],
};

const STORED_WATCHED: ConversionCase = {
  title: 'a watch of the stored version while it fails',
  steps: [
    post(path('v1'), first('a')),
    watch('v1', '&resourceVersion=0', after('failure', merge(path('v1', 'a'), { spec: { address: 'k:4' } }, silent))),
    after('good', get(path('v2', 'a'))),
  ],
};

const MIGRATION: ConversionCase = {
  title: 'objects move to another version',
  steps: [
    post(path('v1'), first('a'), silent),
    post(path('v1'), first('b', 'i:2'), silent),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v2') } }, silent),
    get(`${DEFINITIONS}/${DEFINITION}`, { until: ['status.storedVersions.1', 'v2'] }),
    after('failure', merge(path('v1', 'a'), {})),
    merge(path('v2', 'a'), {}),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v2').slice(1) } }),
    after('good', merge(path('v1', 'a'), {})),
    merge(path('v2', 'b'), {}),
    after('failure', get(path('v2'))),
    merge(`${DEFINITIONS}/${DEFINITION}/status`, { status: { storedVersions: ['v2'] } }),
    after(
      'good',
      merge(`${DEFINITIONS}/${DEFINITION}`, {
        spec: { versions: versions('v2').slice(1), conversion: { strategy: 'None', webhook: null } },
      }),
    ),
    get(path('v1', 'a'), { until: ['', '404 page not found\n'] }),
    get(path('v2'), { until: ['kind', 'WidgetList'] }),
  ],
};

export const FAILURE_CASES: readonly ConversionCase[] = [HANGING, WATCHING, STORED_WATCHED, MIGRATION];
