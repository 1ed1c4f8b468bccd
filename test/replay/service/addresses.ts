/** What a Service may say of its addresses and IP families, where the cluster has addresses of one family and of both. */
import type { Body } from '../reference';
import type { BaseName, Case, Rule } from './case';

const on = (base: BaseName, ...changes: readonly Body[]): Case[] => changes.map((change) => [base, change]);

const POLICIES = ['SingleStack', 'PreferDualStack', 'RequireDualStack'];
const FAMILIES = [['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4']];

/** The same on every cluster; `v4` begins an address of its IPv4 range, of which .91 is free. */
export function addressRules(v4: string): readonly Rule[] {
  return [
    {
      rule: 'policies and families',
      cases: [
        ...POLICIES.flatMap((ipFamilyPolicy) =>
          on('cluster', { ipFamilyPolicy }, ...FAMILIES.map((ipFamilies) => ({ ipFamilyPolicy, ipFamilies }))),
        ),
        ...on('cluster', ...FAMILIES.map((ipFamilies) => ({ ipFamilies }))),
        ...on(
          'cluster',
          { ipFamilyPolicy: 'Foo' },
          { ipFamilyPolicy: '' },
          { ipFamilies: ['IPv5'] },
          { ipFamilies: [''] },
          { ipFamilies: [] },
        ),
        ...on(
          'cluster',
          { ipFamilies: ['IPv4', 'IPv4'] },
          { ipFamilies: ['IPv4', 'IPv6', 'IPv4'] },
          { ipFamilyPolicy: 'x', ipFamilies: ['y', 'y'] },
        ),
        ...POLICIES.flatMap((ipFamilyPolicy) => on('headless', { ipFamilyPolicy }, { ipFamilyPolicy, ipFamilies: ['IPv6'] })),
        ...POLICIES.flatMap((ipFamilyPolicy) =>
          on('headless', { ipFamilyPolicy, selector: null }, { ipFamilyPolicy, ipFamilies: ['IPv6'], selector: null }),
        ),
        ...on('headless', { selector: null }, { selector: null, ipFamilies: ['IPv6', 'IPv4'] }, { ipFamilies: ['IPv6'] }),
        ...on('node', { ipFamilyPolicy: 'PreferDualStack' }, { ipFamilies: ['IPv6'] }),
      ],
    },
    {
      rule: 'addresses that a client chooses',
      cases: [
        ...on(
          'cluster',
          { clusterIP: `${v4}.91.11` },
          { clusterIPs: [`${v4}.91.12`] },
          { clusterIP: `${v4}.91.13`, clusterIPs: [`${v4}.91.13`] },
        ),
        ...on('cluster', { clusterIP: '' }, { clusterIPs: [''] }, { clusterIP: '', clusterIPs: [] }, { clusterIP: null, clusterIPs: null }),
        ...on(
          'cluster',
          { clusterIP: 'x' },
          { clusterIP: 'none' },
          { clusterIP: `${v4}.91.256` },
          { clusterIP: `${v4}.91.1/24` },
          { clusterIP: '1:2' },
        ),
        ...on('cluster', { clusterIP: '1.2.3.4' }, { clusterIP: 'fd01::1' }, { clusterIP: 'fd00::91' }, { clusterIP: `${v4}.0.1` }),
        ...on('cluster', { clusterIP: 'None' }, { clusterIP: 'None', clusterIPs: ['None'] }, { clusterIPs: ['None'] }),
        ...on('node', { clusterIP: 'None' }, { clusterIP: `${v4}.91.14` }),
        ...on('balancer', { clusterIP: 'None' }),
        ...on(
          'headless',
          { clusterIP: `${v4}.91.15` },
          { clusterIP: '' },
          { clusterIPs: ['None', 'None'] },
          { clusterIP: null, clusterIPs: null },
        ),
      ],
    },
    {
      rule: 'clusterIP and clusterIPs agree',
      cases: on(
        'cluster',
        { clusterIP: `${v4}.91.21`, clusterIPs: [`${v4}.91.22`] },
        { clusterIP: `${v4}.91.21`, clusterIPs: [`${v4}.91.21`, `${v4}.91.22`] },
        { clusterIP: `${v4}.91.21`, clusterIPs: [`${v4}.91.21`, 'x'] },
        { clusterIP: `${v4}.91.21`, clusterIPs: [`${v4}.91.21`, 'None'] },
        { clusterIP: `${v4}.91.21`, clusterIPs: [`${v4}.91.21`, ''] },
        { clusterIP: 'None', clusterIPs: ['None', `${v4}.91.21`] },
        { clusterIP: `${v4}.91.21`, clusterIPs: [`${v4}.91.21`, 'fd00::92', `${v4}.91.23`] },
        { clusterIP: '', clusterIPs: [`${v4}.91.24`] },
        { clusterIP: 'x', clusterIPs: ['y', 'z'], ipFamilies: ['IPv5'], ipFamilyPolicy: 'Foo' },
      ),
    },
    {
      rule: 'addresses and families agree',
      cases: on(
        'cluster',
        { clusterIP: `${v4}.91.31`, ipFamilies: ['IPv6'] },
        { clusterIP: 'fd00::93', ipFamilies: ['IPv4'] },
        { clusterIP: 'fd00::94', ipFamilies: ['IPv6'] },
        { clusterIP: `${v4}.91.32`, clusterIPs: [`${v4}.91.32`, 'fd00::95'] },
        { clusterIP: `${v4}.91.33`, clusterIPs: [`${v4}.91.33`, 'fd00::96'], ipFamilyPolicy: 'SingleStack' },
        { clusterIP: `${v4}.91.34`, clusterIPs: [`${v4}.91.34`, 'fd00::97'], ipFamilyPolicy: 'PreferDualStack' },
        { clusterIP: `${v4}.91.35`, clusterIPs: [`${v4}.91.35`, 'fd00::98'], ipFamilyPolicy: 'RequireDualStack' },
        { clusterIP: 'fd00::99', clusterIPs: ['fd00::99', `${v4}.91.36`], ipFamilyPolicy: 'RequireDualStack' },
        {
          clusterIP: 'fd00::9a',
          clusterIPs: ['fd00::9a', `${v4}.91.37`],
          ipFamilyPolicy: 'RequireDualStack',
          ipFamilies: ['IPv4', 'IPv6'],
        },
        { clusterIP: `${v4}.91.38`, ipFamilyPolicy: 'RequireDualStack' },
        { clusterIP: `${v4}.91.39`, ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] },
        { clusterIP: `${v4}.91.40`, ipFamilies: ['IPv5'] },
        { clusterIP: `${v4}.91.41`, clusterIPs: [`${v4}.91.41`, `${v4}.91.42`], ipFamilies: ['IPv4', 'IPv6'] },
      ),
    },
  ];
}
