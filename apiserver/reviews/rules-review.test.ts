import { GENERATED_NAMES } from '../../shared/names/dialect';
import { objectOf, openWriteFixture } from '../../test/support/store/write-fixture';
import { ALL_RULES, type Authorizer, type ResourceRule } from '../authorization/authorizer';
import { createOperations } from '../registry/operations/operations';
import type { RequestContext } from '../registry/verbs';
import { createDefaultAdmission } from '../admission/plugins/default-admission';
import { NON_MUTATING_PLUGINS } from '../../test/support/objects/non-mutating-plugins';
import { reviewOwnRules } from './rules-review';

/** Rules with an even index are for objects of every name, those with an odd index for one name. */
const RULES = Array.from({ length: 10_000 }, (_, index): ResourceRule => ({
  verbs: ['get'],
  groups: ['a.test'],
  resources: [`things${index}`],
  names: index % 2 === 0 ? [] : ['one'],
}));

/** A function that runs the review of an authorizer for a request in the context. */
async function openReview(authorizer: Authorizer) {
  const { clock, cache, random, resources, context, resource } = await openWriteFixture();
  const served = resources.find('authorization.platform.io', 'v1', 'selfsubjectrulesreviews');
  if (served === undefined) throw new Error('no reviews');
  const names = GENERATED_NAMES.platform;
  const operations = createOperations(
    {
      table: { 'selfsubjectrulesreviews.authorization.platform.io': reviewOwnRules(authorizer) },
      cache,
      namespaces: resource('namespaces'),
      admission: createDefaultAdmission({ names, random, clock, cache, resources }, NON_MUTATING_PLUGINS),
      clock,
      names,
    },
    [served.row],
  );
  return (changes: Partial<RequestContext>) =>
    operations.run(
      { ...context, ...changes },
      { resource: served, subresource: undefined },
      { namespace: '', name: '' },
      { value: { spec: { namespace: 'default' } }, duplicates: [], format: 'json' },
      { dryRun: false, fieldValidation: 'Warn', fieldManager: 'test' },
    );
}

it('SelfSubjectRulesReview yields to the event loop repeatedly while it lists 10,000 rules, and returns all of them', async () => {
  const review = await openReview({
    authorize: () => ({ type: 'allow', reason: '' }),
    rules: () => ({ ...ALL_RULES, resources: RULES }),
  });
  let requeues = 0;
  const response = await review({ isTurnOver: true, requeue: () => Promise.resolve(void (requeues += 1)) });
  expect(objectOf(response)['status']).toEqual({
    resourceRules: RULES.map(({ verbs, groups, resources, names }) => ({
      verbs,
      apiGroups: groups,
      resources,
      ...(names.length === 0 ? {} : { resourceNames: names }),
    })),
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  });
  // Ten times while the rules are collected, five while they are encoded, and a few times between.
  expect(requeues).toBeGreaterThan(15);
});
