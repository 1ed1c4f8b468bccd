/** What whoever asks may do in a namespace (SelfSubjectRulesReview): as much as the authorizers can tell without being asked about each thing. */
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { badRequest } from '../../shared/api/errors/status';
import type { Authorizer, PathRule, ResourceRule } from '../authorization/authorizer';
import { giveWay } from '../registry/give-way';
import type { OperationHandler } from '../registry/operations/operation';

/** Answers with an object of its own, which does not say what was asked. */
export function reviewOwnRules(authorizer: Authorizer): OperationHandler {
  return async ({ object, context }) => {
    const namespace = stringAt(objectAt(object, 'spec'), 'namespace') ?? '';
    if (namespace === '') throw badRequest('no namespace on request');
    // There may be thousands of rules, and many who ask at once.
    await giveWay(context);
    const { resources, paths, incomplete, errors } = authorizer.rules(context.user, namespace);
    const status = {
      resourceRules: resources.map(shownResourceRule),
      nonResourceRules: paths.map(shownPathRule),
      incomplete,
      ...(errors.length === 0 ? {} : { evaluationError: errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]` }),
    };
    return { metadata: {}, spec: {}, status };
  };
}

function shownResourceRule({ verbs, groups, resources, names }: ResourceRule): JsonObject {
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
