/** Short ways to write down cases: a base, or every one of them, with changes. */
import type { Body, Json } from '../reference';
import type { BaseName, Case } from './case';

export const LONG = 'a'.repeat(64);
export const EVERY: readonly BaseName[] = ['cluster', 'headless', 'node', 'balancer', 'local', 'alias'];
export const everywhere = (change: Body): Case[] => EVERY.map((base) => [base, change]);
export const on = (base: BaseName, ...changes: readonly Body[]): Case[] => changes.map((change) => [base, change]);
/** The values of one member of the spec. */
export const member = (base: BaseName, name: string, ...values: readonly Json[]): Case[] =>
  values.map((value) => [base, { [name]: value }]);
/** The base's one port with something else in it. */
export const port = (base: BaseName, ...parts: readonly Body[]): Case[] =>
  parts.map((part) => [base, { ports: [{ name: 'p', port: 80, ...part }] }]);
export const ports = (base: BaseName, ...lists: readonly Body[][]): Case[] => lists.map((list) => [base, { ports: list }]);
