import { GENERATED_NAMES } from '../../shared/names/dialect';
import { objectOf, openWriteFixture } from '../../test/support/store/write-fixture';
import { ALL_RULES, type Authorizer, type ResourceRule } from '../authorization/authorizer';
import { createOperations } from '../registry/operations/operations';
import type { RequestContext } from '../registry/verbs';
import { createDefaultAdmission } from '../admission/plugins/default-admission';
import { NON_MUTATING_PLUGINS } from '../../test/support/objects/non-mutating-plugins';
import { reviewOwnRules } from './rules-review';

it('SelfSubjectRulesReview yields to the event loop repeatedly while it lists 10,000 rules, and returns all of them', async () => {
  const { clock, cache, random, resources, context, resource } = await openWriteFixture();
  const rules = Array.from({ length: 10_000 }, (_, index): ResourceRule => ({
    verbs: ['get'],
    groups: ['a.test'],
    resources: [`things${index}`],
    names: index % 2 === 0 ? [] : ['one'],
  }));
  const authorizer: Authorizer = {
    authorize: () => ({ type: 'allow', reason: '' }),
    rules: () => ({ ...ALL_RULES, resources: rules }),
  };
  const reviews = resources.rows.filter(({ resource: name }) => name === 'selfsubjectrulesreviews');
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
    reviews,
  );
  const served = resources.find('authorization.platform.io', 'v1', 'selfsubjectrulesreviews');
  if (served === undefined) throw new Error('no reviews');
  let requeues = 0;
  const busy: RequestContext = { ...context, isTurnOver: true, requeue: () => Promise.resolve(void (requeues += 1)) };
  const review = await operations.run(
    busy,
    { resource: served, subresource: undefined },
    { namespace: '', name: '' },
    { value: { spec: { namespace: 'default' } }, duplicates: [], format: 'json' },
    { dryRun: false, fieldValidation: 'Warn', fieldManager: 'test' },
  );
  expect(objectOf(review)['status']).toEqual({
    resourceRules: rules.map(({ verbs, groups, resources: resourceNames, names: allowedNames }) => ({
      verbs,
      apiGroups: groups,
      resources: resourceNames,
      ...(allowedNames.length === 0 ? {} : { resourceNames: allowedNames }),
    })),
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  });
  // Ten times while the rules are collected, five while they are encoded, and a few times between.
  expect(requeues).toBeGreaterThan(15);
});
