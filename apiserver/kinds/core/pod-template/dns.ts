/** How a pod finds names: its policy and configuration of DNS, and names of its own for addresses. */
import { append } from '../../../../shared/values/append';
import { invalidValue, required } from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, stringsAt } from '../../../../shared/values/json';
import { dnsSubdomain } from '../../../../shared/values/name-formats';
import { ipErrors } from '../../rules/addresses';
import { listed } from '../../rules/field-rules';
import { checkFormat, checkRequiredChoice, textAt, type Errors } from '../../rules/checks';

const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MOST_SERVERS = 3;
const MOST_SEARCHES = 32;
const LONGEST_SEARCHES = 2048;

export const checkDnsPolicy = (spec: JsonObject, place: string, errors: Errors): void =>
  checkRequiredChoice(spec, 'dnsPolicy', place, POLICIES, errors);

export function checkDnsConfig(spec: JsonObject, specPlace: string, errors: Errors): void {
  const place = `${specPlace}.dnsConfig`;
  const config = objectAt(spec, 'dnsConfig');
  const needsServers = textAt(spec, 'dnsPolicy') === 'None';
  if (config === undefined) {
    if (needsServers) errors.push(required(place, 'must provide `dnsConfig` when `dnsPolicy` is None'));
    return;
  }
  const servers = stringsAt(config, 'nameservers');
  if (needsServers && servers.length === 0) {
    errors.push(required(`${place}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
  }
  if (servers.length > MOST_SERVERS) {
    errors.push(invalidValue(`${place}.nameservers`, servers, `must not have more than ${MOST_SERVERS} nameservers`));
  }
  servers.forEach((server, index) => append(errors, ipErrors(server, `${place}.nameservers[${index}]`)));
  checkSearches(stringsAt(config, 'searches'), `${place}.searches`, errors);
  listed(config, 'options').forEach((option, index) => {
    if (textAt(option, 'name') === '') errors.push(required(`${place}.options[${index}]`, 'must not be empty'));
  });
}

function checkSearches(searches: readonly string[], field: string, errors: Errors): void {
  if (searches.length > MOST_SEARCHES) {
    errors.push(invalidValue(field, searches, `must not have more than ${MOST_SEARCHES} search paths`));
  }
  if (Buffer.byteLength(searches.join(' ')) > LONGEST_SEARCHES) {
    const text = `must not have more than ${LONGEST_SEARCHES} characters (including spaces) in the search list`;
    errors.push(invalidValue(field, searches, text));
  }
  searches.forEach((search, index) => checkFormat(search.replace(/\.$/, ''), `${field}[${index}]`, dnsSubdomain, errors));
}

export function checkHostAliases(spec: JsonObject, place: string, errors: Errors): void {
  listed(spec, 'hostAliases').forEach((alias, index) => {
    const field = `${place}.hostAliases[${index}]`;
    append(errors, ipErrors(textAt(alias, 'ip'), `${field}.ip`));
    stringsAt(alias, 'hostnames').forEach((name, at) => checkFormat(name, `${field}.hostnames[${at}]`, dnsSubdomain, errors));
  });
}
