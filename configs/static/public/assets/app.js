"use strict";

// Shows when this page was seen last, kept in the browser alone.
const KEY = "seen";

function lastSeen(storage) {
  const value = storage.getItem(KEY);
  const time = value === null ? NaN : Date.parse(value);
  return Number.isNaN(time) ? null : new Date(time);
}

function show(element, time) {
  if (time === null) return;
  element.dateTime = time.toISOString();
  element.textContent = time.toLocaleString();
}

show(document.getElementById("seen"), lastSeen(localStorage));
localStorage.setItem(KEY, new Date().toISOString());
