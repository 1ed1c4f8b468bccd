/**
 * SelfSubjectRulesReview: lists the rules of the requesting user in a namespace. `incomplete` is set when one of the
 * authorizers cannot list its rules.
 */
import type {
  AuthorizationV1NonResourceRule,
  AuthorizationV1ResourceRule,
  AuthorizationV1SelfSubjectRulesReview,
  AuthorizationV1SubjectRulesReviewStatus,
} from '../../shared/api/types/generated/members';
import { runSteps, type Steps } from '../../shared/scheduling/steps';
import { slotYielder, yieldIfDue } from '../../shared/scheduling/yielding';
import { badRequest } from '../../shared/api/errors/status';
import type { Authorizer, PathRule, ResourceRule } from '../authorization/authorizer';
import type { OperationHandler } from '../registry/operations/operation';

/** Responds with a new object, which does not repeat the request. */
export function reviewOwnRules(authorizer: Authorizer): OperationHandler {
  return async ({ object, context }) => {
    const { spec = {} }: AuthorizationV1SelfSubjectRulesReview = object;
    const { namespace = '' } = spec;
    if (namespace === '') throw badRequest('no namespace on request');
    await yieldIfDue(context);
    const yielder = slotYielder(context);
    const { resources, paths, isIncomplete, errors } = authorizer.rules(context.user, namespace);
    const status: AuthorizationV1SubjectRulesReviewStatus = {
      resourceRules: await runSteps(convertRules(resources, cachedResourceRule), yielder),
      nonResourceRules: await runSteps(convertRules(paths, nonResourceRule), yielder),
      incomplete: isIncomplete,
      ...(errors.length === 0 ? {} : { evaluationError: joinErrors(errors) }),
    };
    return { metadata: {}, spec: {}, status };
  };
}

/** Several errors as upstream prints them. */
const joinErrors = (errors: readonly string[]): string => (errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`);

/** Rules that are converted before the event loop may run other work. */
const RULES_PER_STEP = 1024;

/** Yields regularly, because there may be thousands of rules and many concurrent reviews. */
function* convertRules<Rule, Converted>(rules: readonly Rule[], convert: (rule: Rule) => Converted): Steps<Converted[]> {
  const converted: Converted[] = [];
  for (const rule of rules) {
    if (converted.length % RULES_PER_STEP === 0) yield;
    converted.push(convert(rule));
  }
  return converted;
}

/**
 * The converted rules, which reviews share: concurrent reviews of thousands of rules would otherwise each hold a copy.
 * They must not be modified.
 */
const convertedRules = new WeakMap<ResourceRule, AuthorizationV1ResourceRule>();

function cachedResourceRule(rule: ResourceRule): AuthorizationV1ResourceRule {
  const cached = convertedRules.get(rule);
  if (cached !== undefined) return cached;
  const converted = resourceRule(rule);
  convertedRules.set(rule, converted);
  return converted;
}

function resourceRule({ verbs, groups, resources, names }: ResourceRule): AuthorizationV1ResourceRule {
  return {
    verbs: [...verbs],
    apiGroups: [...groups],
    resources: [...resources],
    ...(names.length === 0 ? {} : { resourceNames: [...names] }),
  };
}

function nonResourceRule({ verbs, paths }: PathRule): AuthorizationV1NonResourceRule {
  return { verbs: [...verbs], nonResourceURLs: [...paths] };
}
