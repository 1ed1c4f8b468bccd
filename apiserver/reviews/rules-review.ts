/** What whoever asks may do in a namespace (SelfSubjectRulesReview): as much as the authorizers can tell without being asked about each thing. */
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { runSteps, type Steps } from '../../shared/scheduling/steps';
import { slotYielder, yieldIfDue } from '../../shared/scheduling/yielding';
import { badRequest } from '../../shared/api/errors/status';
import type { Authorizer, PathRule, ResourceRule } from '../authorization/authorizer';
import type { OperationHandler } from '../registry/operations/operation';

/** Answers with an object of its own, which does not say what was asked. */
export function reviewOwnRules(authorizer: Authorizer): OperationHandler {
  return async ({ object, context }) => {
    const namespace = stringAt(objectAt(object, 'spec'), 'namespace') ?? '';
    if (namespace === '') throw badRequest('no namespace on request');
    await yieldIfDue(context);
    const yielder = slotYielder(context);
    const { resources, paths, incomplete, errors } = authorizer.rules(context.user, namespace);
    const status = {
      resourceRules: await runSteps(showing(resources, shownResourceRule), yielder),
      nonResourceRules: await runSteps(showing(paths, shownPathRule), yielder),
      incomplete,
      ...(errors.length === 0 ? {} : { evaluationError: errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]` }),
    };
    return { metadata: {}, spec: {}, status };
  };
}

const RULES_PER_STEP = 1024;

/** There may be thousands of rules, and many who ask at once. */
function* showing<Rule>(rules: readonly Rule[], show: (rule: Rule) => JsonObject): Steps<JsonObject[]> {
  const shown: JsonObject[] = [];
  for (const rule of rules) {
    if (shown.length % RULES_PER_STEP === 0) yield;
    shown.push(show(rule));
  }
  return shown;
}

/** Rules last longer than requests, and twenty who ask about thousands of them at once are to hold no copies. Nobody changes what is here. */
const shownBefore = new WeakMap<ResourceRule, JsonObject>();

function shownResourceRule(rule: ResourceRule): JsonObject {
  const known = shownBefore.get(rule);
  if (known !== undefined) return known;
  const shown = resourceRule(rule);
  shownBefore.set(rule, shown);
  return shown;
}

function resourceRule({ verbs, groups, resources, names }: ResourceRule): JsonObject {
  return {
    verbs: [...verbs],
    apiGroups: [...groups],
    resources: [...resources],
    ...(names.length === 0 ? {} : { resourceNames: [...names] }),
  };
}

function shownPathRule({ verbs, paths }: PathRule): JsonObject {
  return { verbs: [...verbs], nonResourceURLs: [...paths] };
}
