/** Features by name. Objects are namespaces. */
export type NamedFeatures = { readonly [name: string]: FeatureValue };

export type FeatureValue = string | number | boolean | readonly FeatureValue[] | NamedFeatures;

/** Named features for a loop with `bits`, a vector for a loop with `features`. */
export type Context =
  | { readonly features: NamedFeatures }
  | { readonly dense: readonly number[] }
  | { readonly sparse: SparseVector };

export interface SparseVector {
  readonly dimension: number;
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

export interface Action {
  readonly id: string;
  readonly features?: NamedFeatures;
}

export interface RankRequest {
  /** The id of the event. The same id gets the same action. By default it is a new id. */
  readonly eventId?: string;
  readonly context: Context;
  /** Absent if the loop has a fixed list. */
  readonly actions?: readonly Action[];
  /** Ids of actions that must not be chosen. */
  readonly excludedActions?: readonly string[];
  /** Whether the decision counts only when it is activated. */
  readonly deferActivation?: boolean;
}

export interface RankAnswer {
  /** The event that rewards are sent for. */
  readonly eventId: string;
  readonly loop: string;
  /** The version that decided. */
  readonly policyVersion: number;
  /** Position of the chosen action, from 0. */
  readonly action: number;
  /** The action to show. */
  readonly actionId: string;
  /** Its probability. */
  readonly propensity: number;
  readonly propensityKind: 'exact' | 'estimated' | 'upperBound';
  /** Whether Kafka has acknowledged the decision; otherwise nothing is learned from it. */
  readonly logged: boolean;
  /** The chosen action, then the others by probability. */
  readonly ranking: readonly RankedAction[];
}

export interface RankedAction {
  readonly id: string;
  readonly probability?: number;
}

export interface Slot {
  readonly id: string;
  readonly features?: NamedFeatures;
  readonly excludedActions?: readonly string[];
  /** The action that is shown while the `rolloutMode` is apprentice. All slots have one, or none. */
  readonly baselineAction?: string;
}

export interface RankSlotsRequest extends RankRequest {
  /** The most important one first. */
  readonly slots: readonly Slot[];
}

export interface SlotAnswer extends RankAnswer {
  /** The id of the slot. */
  readonly id: string;
}

export interface RankSlotsAnswer {
  /** The event id of the page. Each slot has its own. */
  readonly eventId: string;
  /** In the order of the request. */
  readonly slots: readonly SlotAnswer[];
}

export interface Reward {
  /** In the `rewardRange` of the loop, which is [0, 1] unless its spec has another. */
  readonly value: number;
  /** Rewards with the same id count once. By default it is a new id. */
  readonly rewardId?: string;
  /** Without it, the time at which the server receives the reward. */
  readonly time?: Date | string;
  /** What the value measures. The loop learns from `reward`, which is the default. */
  readonly metric?: 'reward' | 'guardrail';
}

export interface RolloutCommand {
  readonly action: 'promote' | 'canary' | 'rollback' | 'register' | 'withdraw' | 'pause' | 'resume';
  readonly reason: string;
  readonly version?: number;
  readonly share?: number;
  readonly snapshot?: object;
  readonly greedyOf?: number;
  readonly constantAction?: string;
  readonly commandId?: string;
}

/**
 * The settings of a loop, which docs/loops.md describes. Settings that are absent have their
 * defaults.
 */
export interface LoopSpec {
  loop?: string;
  version?: number;
  time?: string;
  features?: number | null;
  bits?: number | null;
  actions?: readonly (string | Action)[];
  interactions?: readonly string[];
  actionIds?: boolean;
  normBound?: number | null;
  policy?: 'softmax' | 'mixedLogit';
  propensityKind?: 'exact' | 'estimated' | 'upperBound';
  propensityDraws?: number;
  variance?: number | null;
  inverseTemperature?: number;
  explorationFloor?: number;
  distributionLimit?: number;
  featureLimit?: number;
  unloggedDecision?: 'refuse' | 'answer';
  learner?: 'lpr' | 'reward-model' | 'best';
  objective?:
    | 'ips-lpr'
    | 'wnll-lpr'
    | 'ls-lpr'
    | 'trust-lpr'
    | 'ips-l2'
    | 'bcrm'
    | 'bcrm-convex';
  lambda?: number;
  priorVariance?: number;
  tau?: number;
  smoothing?: number;
  delta?: number;
  learningRate?: number;
  adaGradSmoothing?: number;
  batchSize?: number;
  bufferSteps?: number;
  bufferCapacity?: number;
  seed?: number;
  snapshotExamples?: number;
  snapshotRewards?: number;
  snapshotInterval?: string;
  rewardRange?: readonly [number, number];
  attributionWindow?: string;
  defaultReward?: number;
  rewardAggregation?: 'first' | 'last' | 'sum' | 'max';
  guardrailDefaultReward?: number;
  rolloutMode?: 'manual' | 'immediate' | 'gated' | 'apprentice';
  canaryShare?: number;
  candidateExamples?: number;
  minimumGain?: number;
  guardrailMargin?: number | null;
  automaticRollback?: boolean;
  holdoutShare?: number;
  holdoutVersion?: number | null;
  startingPolicy?: object | null;
  /** Settings of newer servers. */
  [setting: string]: unknown;
}

export interface LoopDetail {
  readonly loop: string;
  readonly specVersion: number;
  /** The active version. It decides all events except those of the canary. */
  readonly policyVersion: number;
  readonly canaryVersion?: number;
  readonly canaryShare?: number;
  /** Why the served version or spec differs from the one that the rollout names. */
  readonly degradedReason?: string;
  readonly spec: LoopSpec;
  /** A spec that takes effect with the next generation. */
  readonly waitingSpec?: LoopSpec;
  /** Changes with each spec. Send it as `ifMatch`. */
  readonly etag: string;
}

export interface LoopPage {
  /** Number of loops that match `search`. */
  readonly matches: number;
  readonly offset: number;
  readonly loops: readonly LoopSummary[];
}

export interface LoopSummary {
  readonly loop: string;
  readonly specVersion: number;
  readonly policyVersion: number;
  readonly canaryVersion?: number;
  readonly canaryShare?: number;
  readonly degradedReason?: string;
}

export interface SpecChange {
  readonly loop: string;
  readonly version: number;
  readonly change: 'created' | 'unchanged' | 'immediate' | 'nextGeneration';
  readonly fields: readonly ChangedField[];
  /** Of the new spec. */
  readonly etag: string;
}

export interface ChangedField {
  readonly name: string;
  readonly verdict: 'immediate' | 'nextGeneration' | 'refused';
  readonly reason: string;
}

/** How often a call is repeated. Pauses are in milliseconds. */
export interface Retries {
  /** Limit on attempts; 1 for no retry. */
  readonly attempts?: number;
  /** Pause before the second attempt, which doubles for each further attempt. */
  readonly firstPause?: number;
  /** Longest pause. If the server asks for a longer one, the call fails at once. */
  readonly maxPause?: number;
}

export interface ClientOptions {
  /** The bearer token; absent for a server without tokens. */
  readonly token?: string | null;
  /** Longest time of an attempt, in milliseconds. The default is 12,000. */
  readonly timeout?: number;
  /** Retries of all calls but decisions and changes of loops: five attempts by default. */
  readonly retries?: Retries;
  /** Retries of decisions: two attempts by default. */
  readonly rankRetries?: Retries;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Ends the call, with its retries. */
  readonly signal?: AbortSignal;
  /** Longest time of an attempt, in milliseconds. */
  readonly timeout?: number;
}

export interface DeleteOptions extends CallOptions {
  /** The etag of the spec. Another spec is not deleted: the server answers 412. */
  readonly ifMatch?: string;
}

export interface PutOptions extends DeleteOptions {
  /** Creates a loop and changes none: the server answers 412 if there is one. */
  readonly ifNoneMatch?: '*';
}

/**
 * Calls a server for decisions, and sends rewards, activations and rollout commands. One client is
 * enough for a program. Every call may fail with a `CounterflowError`.
 */
export class CounterflowClient {
  /** @param server its address, such as https://decisions.example.org */
  constructor(server: string | URL, options?: ClientOptions);

  /** Requests a decision. */
  rank(loop: string, request: RankRequest, options?: CallOptions): Promise<RankAnswer>;

  /** Requests a decision for each slot of a page, no action twice. */
  rankSlots(
    loop: string,
    request: RankSlotsRequest,
    options?: CallOptions,
  ): Promise<RankSlotsAnswer>;

  /** Sends a reward, and waits until Kafka has acknowledged it. Returns its id. */
  reward(
    loop: string,
    eventId: string,
    reward: number | Reward,
    options?: CallOptions,
  ): Promise<string>;

  /** Activates a deferred event, and waits until Kafka has acknowledged it. */
  activate(loop: string, eventId: string, options?: CallOptions): Promise<void>;

  /**
   * Sends a rollout command, and waits until Kafka has acknowledged it. The job executes or refuses
   * it later. Returns the id of the command, which the change of the rollout contains.
   */
  rollout(loop: string, command: RolloutCommand, options?: CallOptions): Promise<string>;

  /** Lists loops by name, a page at a time. */
  listLoops(
    page?: { readonly search?: string; readonly offset?: number; readonly limit?: number },
    options?: CallOptions,
  ): Promise<LoopPage>;

  /** Returns a loop with its spec. */
  getLoop(loop: string, options?: CallOptions): Promise<LoopDetail>;

  /** Creates a loop, or changes its spec. The same spec changes nothing. */
  putLoop(loop: string, spec: LoopSpec, options?: PutOptions): Promise<SpecChange>;

  /** Deletes a loop with everything that it has learned. */
  deleteLoop(loop: string, options?: DeleteOptions): Promise<void>;
}

/**
 * A call has failed. If the call had ids, the error has them too. Send the request again with the
 * same id, and it counts once.
 */
export class CounterflowError extends Error {
  readonly eventId?: string;
  readonly rewardId?: string;
  readonly commandId?: string;
}

/** A problem document (RFC 9457). Some types have more fields. */
export interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly [field: string]: unknown;
}

/** The server has replied with an error. */
export class ProblemResponseError extends CounterflowError {
  /** The status of the response; 0 for a redirect in a browser. */
  readonly status: number;
  /** The kind of problem, such as urn:counterflow:problem:unknown-loop. */
  readonly type: string;
  readonly title: string;
  /** A description for people. */
  readonly detail: string;
  /** The request's id in the server's log. */
  readonly instance: string;
  /** Seconds after which the server can be asked again. */
  readonly retryAfter?: number;
  /** The whole document. It is empty if the reply has none. */
  readonly problem: Problem;
  /** Whether the same request may succeed later. */
  get isTemporary(): boolean;
}

/** No connection, or it broke before the reply was complete. */
export class ConnectionFailedError extends CounterflowError {}

/** The reply did not arrive in time. */
export class RequestTimeoutError extends CounterflowError {}
