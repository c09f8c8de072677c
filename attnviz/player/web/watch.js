// Only in a page of `present --watch`: waits for the news that there is another one, and loads it. The step stays.

async function waitForNews() {
  for (;;) {
    const answer = await fetch("news").catch(() => null);
    if (!answer)
      await new Promise((resolve) => setTimeout(resolve, 2000)); // the command has ended, or starts again
    else if ((await answer.text()) === "new") return location.reload();
  }
}

waitForNews();
