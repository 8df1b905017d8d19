document.currentScript.insertAdjacentHTML("afterend", "<a href='https://spa.example/'>Projects</a>");
