package io.counterflow.cli.evaluate;

/**
 * @param tau τ: smallest propensity used as a divisor; 1/τ caps the ratio
 * @param delta probability with which each interval may miss
 */
record EvaluationSettings(double tau, double delta) {}
