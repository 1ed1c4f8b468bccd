/**
 * Where jest runs a file of tests: in Node as it is. Jest's own environment makes a realm for each file, in which nothing is loaded or compiled yet and in which Node's
 * errors and arrays are none. What a file leaves behind of jest's is removed after it; nothing else is undone.
 */
const { setFlagsFromString } = require('node:v8');
const { ModuleMocker } = require('jest-mock');

// There are many tests and each is short: what runs some hundred times is not worth V8's compiler.
setFlagsFromString('--interrupt-budget=300000');

/** Handlers of jest-circus: it goes on with those that it finds. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

/** Of a stack that are shown: each call of `expect` notes one, and jest would keep a hundred. */
const FRAMES = 25;

module.exports = class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;
  found = { exit: process.exit, console: globalThis.console, symbols: new Set(Object.getOwnPropertySymbols(globalThis)) };

  async setup() {
    Error.stackTraceLimit = FRAMES;
  }

  async teardown() {
    process.exit = this.found.exit;
    globalThis.console = this.found.console;
    // All tests of the file hang on a symbol that nobody but its jest-circus has.
    const ofTheFile = Object.getOwnPropertySymbols(globalThis).filter((symbol) => Symbol.keyFor(symbol) === undefined);
    for (const symbol of [HANDLERS, ...ofTheFile]) if (!this.found.symbols.has(symbol)) Reflect.deleteProperty(globalThis, symbol);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
};
